"""What learners get: everything they need, no answer, the same bytes each time, or nothing."""

from __future__ import annotations

import ast
import html
import json
import os
import re
import signal
import subprocess
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from editions import ROOT, course, reference

from ringlab import cli
from ringlab import release as module
from ringlab.release import edition_for, learners_edition, release
from ringlab.words import cli as cli_words
from ringlab.words import release as words
from ringlab.work import CommandError

SOLUTIONS = sorted((ROOT / "solutions").glob("*.py"))
LINES = 4  # as many lines of an answer in a row are no accident


# No answer in it


def plain_lines(text: str) -> list[str]:
    """The lines of code, whatever their indentation, comments and spacing."""
    lines = (re.sub(r"\s+", " ", line.partition("  # ")[0]).strip() for line in text.splitlines())
    return [line for line in lines if re.search(r"\w", line) and not line.startswith("#")]


def pieces(solution: Path) -> Iterator[str]:
    """What gives an answer away: its parts, if short, else any few of their lines in a row."""
    text = solution.read_text("utf-8")
    for part in re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", text, re.DOTALL):
        lines = plain_lines(part)
        for start in range(max(1, len(lines) - LINES + 1)):
            yield "\n".join(["", *lines[start : start + LINES], ""])


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        yield "".join(value)
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


def readings(name: str, data: bytes) -> Iterator[str]:
    """Every way to read a file: in a notebook each source and output, in HTML what it shows."""
    text = data.decode("utf-8", errors="replace")
    for each in strings(json.loads(text)) if name.endswith(".ipynb") else [text]:
        yield each
        if "<" in each:
            yield html.unescape(re.sub(r"<[^>]*>", "", each))


def leaks(files: dict[str, bytes]) -> list[tuple[str, str, str]]:
    wanted = [(path.stem, piece) for path in SOLUTIONS for piece in pieces(path)]
    return [
        (name, exercise, piece)
        for name, data in files.items()
        for text in readings(name, data)
        for joined in ["\n".join(["", *plain_lines(text), ""])]
        for exercise, piece in wanted
        if piece in joined
    ]


@pytest.fixture(scope="module")
def edition() -> dict[str, bytes]:
    return {path: entry.data for path, entry in learners_edition().items()}


def test_no_reference_answer_is_anywhere_in_it(edition: dict[str, bytes]) -> None:
    assert len(SOLUTIONS) > 10
    assert leaks(edition) == []


@pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda path: path.stem)
def test_an_answer_that_slipped_in_would_be_found(solution: Path) -> None:
    """In a library file with other names around it, and in the output of a notebook's cell."""
    inner = "\n".join(f"    {line}" for line in reference(solution.stem).splitlines())
    as_file = {"ringlab/other.py": f"class Other:\n{inner}\n".encode()}
    assert {exercise for _, exercise, _ in leaks(as_file)} >= {solution.stem}
    shown = {"data": {"text/html": f"<pre>{html.escape(reference(solution.stem))}</pre>"}}
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": "", "outputs": [shown]}]})
    as_output = {"notebooks/x.ipynb": notebook.encode()}
    assert {exercise for _, exercise, _ in leaks(as_output)} >= {solution.stem}


def test_it_holds_what_a_learner_needs_and_nothing_else(edition: dict[str, bytes]) -> None:
    tops = {path.partition("/")[0] for path in edition}
    assert tops == {
        *("course", "LICENSE", "README.md", "pyproject.toml", "constraints.txt"),
        *("environment.yml", ".gitignore", "ringlab", "notebooks", "exercises"),
    }
    for folder, pattern in (("notebooks", "*.ipynb"), ("exercises", "*.py")):
        here = {f"{folder}/{path.name}" for path in (ROOT / folder).glob(pattern)}
        assert here == {path for path in edition if path.startswith(f"{folder}/")}
    tracked = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ringlab").rglob("*.py")}
    assert tracked <= set(edition)
    assert not [path for path in edition if "__pycache__" in path or path.endswith(".pyc")]


def test_no_page_in_it_points_to_answers_that_are_not_there(edition: dict[str, bytes]) -> None:
    pages = [path for path in edition if path.endswith((".md", ".ipynb"))]
    assert not [path for path in pages if re.search(rb"answer is in `solutions", edition[path])]
    hints = json.loads(edition["notebooks/03_ring_on_paper.ipynb"])["cells"]
    text = "".join("".join(cell["source"]) for cell in hints)
    assert "<summary>Hint 1</summary>" in text, "the hints themselves stay"


def test_its_readme_names_commands_that_work_there(edition: dict[str, bytes]) -> None:
    named = set(re.findall(r"\./course (\w+)", edition["README.md"].decode()))
    assert named >= {"lab", "check"}
    assert not named & {"test", "build", "release"}
    for name in named:
        with pytest.raises(SystemExit) as ended:
            cli.main([name, "--help"])
        assert ended.value.code == 0


# The same bytes, or nothing


def test_two_releases_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        release(tmp_path / name)
    first, second = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("first", "second")
    )
    assert first == second
    with zipfile.ZipFile(tmp_path / "first" / "ringlab-course.zip") as archive:
        assert archive.testzip() is None
        unpacked = {Path(name): archive.read(name) for name in archive.namelist()}
        mode = archive.getinfo("ringlab-course/course").external_attr >> 16
        assert {info.date_time[0] for info in archive.infolist()} == {1980}, "no time of writing"
    assert mode & 0o111, "a program stays one when the zip is unpacked"
    folder = {path: data for path, data in first.items() if path.suffix != ".zip"}
    assert unpacked == folder
    assert os.access(tmp_path / "first" / "ringlab-course" / "course", os.X_OK)


@pytest.fixture
def no_stale_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_refuse_stale", lambda root: None)


@pytest.mark.usefixtures("no_stale_check")
def test_an_empty_folder_is_taken_and_a_full_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    release(tmp_path / "empty")
    assert (tmp_path / "empty" / "ringlab-course.zip").exists()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(CommandError, match="not empty"):
        release(tmp_path / "empty")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("no_stale_check")
def test_a_file_or_a_place_inside_the_course_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CommandError, match="is a file"):
        release(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    (tmp_path / "link").symlink_to(ROOT)
    for out in (ROOT / "work" / "out", ROOT, tmp_path / "link" / "out"):
        with pytest.raises(CommandError, match="inside the course|not empty"):
            release(out)
        assert not (ROOT / "work" / "out").exists() and not (ROOT / "out").exists()


@pytest.mark.usefixtures("no_stale_check")
def test_a_release_that_fails_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *rest: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(module, "_write_zip", full)
    with pytest.raises(CommandError, match="can't be written: No space left"):
        release(tmp_path / "deep" / "out")
    assert not list((tmp_path / "deep").iterdir())


def test_a_stale_notebook_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer written into notebooks/ by mistake is a difference from what would be built."""
    monkeypatch.setattr("ringlab.build.compare.differences", lambda root: (["04 differs."], 1))
    with pytest.raises(CommandError, match=re.escape("04 differs.")):
        release(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_private_cases_go_to_the_autograder_alone(tmp_path: Path) -> None:
    secret = tmp_path / "private"
    secret.mkdir()
    (secret / "more_cases.py").write_text("SECRET = 1\n")
    for audience in ("learners", "github", "nbgrader"):
        with pytest.raises(CommandError, match="gradescope alone"):
            release(tmp_path / "out", audience, private_cases=secret)
        assert not [e for e in edition_for(audience).values() if b"SECRET = 1" in e.data]
    with pytest.raises(CommandError, match="that learners get"):
        release(tmp_path / "out", "gradescope", private_cases=ROOT / "ringlab" / "catalog")
    with pytest.raises(CommandError, match="is not a folder"):
        release(tmp_path / "out", "gradescope", private_cases=tmp_path / "nowhere")
    held = edition_for("gradescope", private_cases=secret)
    assert held["private_cases/more_cases.py"].data == b"SECRET = 1\n"
    assert not [path for path in held if path.startswith("course/") and "more_cases" in path]


# It works there


@pytest.mark.parametrize("command", [["test"], ["build"], ["release", "--out", "x"]])
def test_what_needs_the_full_course_says_so_in_one_sentence(
    learners: Path, command: list[str]
) -> None:
    done = course(learners, *command)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip() == words.FULL_COURSE_ONLY.format(command=command[0])


def test_check_judges_from_it(learners: Path, tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(reference("who_am_i"))
    wrong.write_text(
        reference("who_am_i").replace("dist.get_rank(), dist.get_world_size()", "0, 1")
    )
    done = course(learners, "check", "who_am_i", str(right), str(wrong), "--json")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["verdict"], second["verdict"]) == ("passed", "failed"), done.stdout
    assert done.returncode == 1
    assert done.stderr == ""


def test_an_exercise_comes_from_it_unwritten(learners: Path) -> None:
    assert course(learners, "exercise", "ring_step").returncode == 0
    text = (learners / "work" / "ring_step.py").read_text()
    assert cli_words.TODO_ERROR.format(exercise="ring_step") in text
    ast.parse(text)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_lab_opens_from_it(learners: Path, tmp_path: Path) -> None:
    port = cli.free_port(28888)
    log = tmp_path / "log"
    homes = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    command = ["sh", str(learners / "course"), "lab", "--no-browser", f"--port={port}"]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, stdout=output, stderr=output, env=dict(os.environ, **homes)
        )
    try:
        deadline = time.monotonic() + 60
        address = re.compile(rf"http://\S+:{port}(/lab/tree/work/00_\w+\.ipynb)\?token=(\w+)")
        while not (said := address.search(log.read_text())):
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        url = f"http://127.0.0.1:{port}/api/contents{said[1].removeprefix('/lab/tree')}"
        with urllib.request.urlopen(f"{url}?token={said[2]}", timeout=30) as reply:
            assert json.load(reply)["type"] == "notebook"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
