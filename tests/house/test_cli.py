"""The commands: their exit status, their one sentence, what they hand on."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import types
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from ringlab import cli

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "ring_step.py").write_text("def ring_step(): ...\n")
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    monkeypatch.setattr(cli, "work_folder", lambda: tmp_path / "work")
    return tmp_path


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    calls: list[tuple[object, ...]] = []
    command = types.ModuleType("ringlab.grading.command")

    def check_files(exercise: str, files: list[Path], as_json: bool, **more: object) -> int:
        calls.append((exercise, files, as_json))
        return 1

    command.check_files = check_files  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ringlab.grading.command", command)
    return calls


def test_check_hands_on_its_files_and_the_status(
    folder: Path, judged: list[tuple[object, ...]]
) -> None:
    assert cli.main(["check", "ring_step", "a.py", "b.ipynb", "--json"]) == 1
    assert judged == [("ring_step", [Path("a.py"), Path("b.ipynb")], True)]


def test_check_without_a_file_says_which_it_judges(
    folder: Path,
    judged: list[tuple[object, ...]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    newest, older = folder / "work" / "ring_step.py", folder / "work" / "03_ring.ipynb"
    newest.parent.mkdir(exist_ok=True)
    newest.write_text("def ring_step(rank, step, world_size): ...")
    found = [(newest, True), (older, True)]
    monkeypatch.setattr(cli, "answers", lambda exercise: found)
    assert cli.main(["check", "ring_step"]) == 1
    assert judged == [("ring_step", [newest], False)]
    said = capsys.readouterr().out
    assert "ring_step.py, saved 0 min ago" in said
    assert "There is an answer in" in said and "03_ring.ipynb" in said


def test_check_without_an_answer_could_not_judge(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "answers", lambda exercise: [])
    assert cli.main(["check", "ring_step"]) == 2
    assert "no answer to ring_step" in capsys.readouterr().err


def test_an_unknown_exercise_names_those_that_exist(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "rong_step"]) == 2
    assert "no exercise 'rong_step'. The exercises are: ring_step" in capsys.readouterr().err


def test_an_exercise_is_copied_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["exercise", "ring_step"]) == 0
    copy = folder / "work" / "ring_step.py"
    copy.write_text("mine")
    assert cli.main(["exercise", "ring_step"]) == 0
    assert copy.read_text() == "mine"
    assert "stays as it is" in capsys.readouterr().out


def test_a_taken_port_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "bring_lessons", list)
    monkeypatch.setattr(cli, "lesson_copies", lambda: [folder / "work" / "00_start.ipynb"])
    monkeypatch.setattr(os, "execve", lambda *arguments: pytest.fail("started all the same"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert cli.main(["lab", f"--port={port}"]) == 1
        assert capsys.readouterr().err.startswith(f"Port {port} is taken: ")
        assert cli.free_port(port) != port


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_number_that_is_no_port_is_one_sentence(port: int) -> None:
    with pytest.raises(cli.CommandError, match="not a port"):
        cli._refuse_taken(port)


def test_an_unknown_option_is_refused_where_nothing_passes_on() -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["doctor", "--loud"])
    assert ended.value.code == 2


def test_a_failing_step_is_named_and_ends_the_test(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    steps = [
        ("first", [sys.executable, "-c", "print('ran first')"]),
        ("second", [sys.executable, "-c", "raise SystemExit(3)"]),
        ("third", [sys.executable, "-c", "print('ran third')"]),
    ]
    monkeypatch.setattr(cli, "_steps", lambda full: steps)
    assert cli.main(["test"]) == 1
    out, err = capfd.readouterr()
    assert "ran first" in out
    assert "ran third" not in out
    assert err.strip() == "./course test stopped at this step: second."


def test_the_long_tests_run_only_when_asked() -> None:
    short, long = (dict(cli._steps(full)) for full in (False, True))
    assert all("not full" in command[-1] for name, command in short.items() if "pytest" in name)
    assert not any("not full" in part for command in long.values() for part in command)


# The real thing: JupyterLab, served from a folder with one lesson.


@pytest.fixture
def lab_folder(tmp_path: Path) -> Path:
    (tmp_path / "notebooks").mkdir()
    notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notebooks" / "00_start.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "ringlab").symlink_to(ROOT / "ringlab")
    return tmp_path


LAB = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from ringlab import cli, work
root = Path(sys.argv[2])
cli.ROOT = root
cli.bring_lessons = lambda: work.bring_lessons(root)
cli.lesson_copies = lambda: work.lesson_copies(root)
sys.exit(cli.main(["lab", "--no-browser", *sys.argv[3:]]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_lab_serves_the_first_lesson_from_work(lab_folder: Path) -> None:
    port = cli.free_port(18888)
    environment = dict(
        os.environ,
        JUPYTER_CONFIG_DIR=str(lab_folder / "config"),
        JUPYTER_DATA_DIR=str(lab_folder / "data"),
        JUPYTER_RUNTIME_DIR=str(lab_folder / "runtime"),
    )
    command = [sys.executable, "-c", LAB, str(ROOT), str(lab_folder), f"--port={port}"]
    log = lab_folder / "log"
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        # What is said is the address that a person opens.
        said = wait_for(
            lambda: re.search(rf"http://\S+:{port}(/\S+)\?token=(\w+)", log.read_text())
        )
        path, token = said.groups()
        assert path == "/lab/tree/work/00_start.ipynb"
        address = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{address}{path}?token={token}", timeout=30) as reply:
            assert b"jupyter-config-data" in reply.read()
        contents = f"{address}/api/contents/work/00_start.ipynb?token={token}"
        with urllib.request.urlopen(contents, timeout=30) as reply:
            assert json.load(reply)["type"] == "notebook"
        assert f"port {port}" in log.read_text()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def wait_for(look: Callable[[], re.Match[str] | None]) -> re.Match[str]:
    deadline = time.monotonic() + 60
    while (found := look()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found
