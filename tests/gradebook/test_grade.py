"""`./course grade` as it is called: right grades for messy input, kept whatever happens."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import messy
import psutil
import pytest
from conftest import Grade, command, environment, rows

from ringlab import catalog, cli
from ringlab.gradebook import files

STEP = messy.reference("ring_step")
WHO = messy.reference("who_am_i")
POINTS = {each.id: each.points for each in catalog.all_exercises()}


def put(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


# Fifty messy submissions


@pytest.fixture(scope="module")
def messy_class(tmp_path_factory: pytest.TempPathFactory, grade: Grade) -> Any:
    folder = messy.build(tmp_path_factory.mktemp("class"))
    out = tmp_path_factory.mktemp("grades") / "out"
    return out, grade(folder, "--out", out, "--seed", "4"), folder


def test_every_messy_submission_gets_the_grade_written_down_for_it(messy_class: Any) -> None:
    out, done, _ = messy_class
    expected = {}
    for each in messy.MESSY:
        for exercise, (verdict, share) in (each.expected or {}).items():
            expected[each.path, exercise] = (verdict, share)
    found = {(row["raw"], row["exercise"]): row for row in rows(out)}
    differences = [
        f"{key}: {row['verdict']} {row['points']} ({row['message']}), not {expected.get(key)}"
        for key, row in found.items()
        if key not in expected or not _agrees(row, *expected[key])
    ]
    missing = [str(key) for key in expected if key not in found]
    assert not differences and not missing, "\n".join([*differences, *missing])
    assert done.returncode == cli.NOT_JUDGED
    assert "Traceback" not in done.stderr


def _agrees(row: dict[str, Any], verdict: str, share: messy.Share) -> bool:
    if row["verdict"] != verdict:
        return False
    if share is None:
        return row["points"] is None
    low, high = share if isinstance(share, tuple) else (share, share)
    most = POINTS.get(row["exercise"], 0)
    return bool(low * most - 0.006 <= row["points"] <= high * most + 0.006)


def test_each_row_has_its_line_and_each_submission_its_pages(messy_class: Any) -> None:
    out, _, _ = messy_class
    with open(out / files.TABLE, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == len(rows(out))
    for line in table:
        page = out / line["feedback"]
        told = json.loads((page.parent / files.RESULTS).read_text("utf-8"))
        assert line["exercise"] in [test["name"] for test in told["tests"]]
        text = page.read_text("utf-8")
        assert "--seed" not in text and str(out) not in text
        assert not line["submission"].startswith(("=", "+", "-", "@"))


def test_a_learner_sees_their_own_run(messy_class: Any) -> None:
    out, _, _ = messy_class
    page = out / files.SUBMISSIONS / files.folder_of(b"ben/ring_all_reduce.py") / files.FEEDBACK
    text = page.read_text("utf-8")
    (alt,) = re.findall(r'<img alt="([^"]+)" src="data:image/png;base64,', text)
    assert "Step 0" in alt
    assert "remainder" in text


def test_the_index_shows_the_class(messy_class: Any) -> None:
    out, done, _ = messy_class
    text = (out / files.INDEX).read_text("utf-8")
    assert "quin/letter.ipynb" in text[: text.index("<h2>Exercises")]
    assert "zoe/ring_step.py" in text and "a link, not followed" in text
    assert "Protection in force" in text and "Protection in force" in done.stderr


def test_the_command_of_a_row_repeats_it(messy_class: Any, capsys: Any) -> None:
    out, _, _ = messy_class
    (row,) = (r for r in rows(out) if r["raw"] == b"jon/ring_step.py")
    with open(out / files.TABLE, newline="", encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["submission"] == "jon/ring_step.py"]
    words = lines[0]["command"].split()
    assert words[:2] == ["./course", "check"]
    assert cli.main([*words[1:], "--json"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert again["checks"] == json.loads(row["checks"])[: len(again["checks"])]


def test_the_same_call_again_grades_nothing_twice(messy_class: Any, grade: Grade) -> None:
    out, _, folder = messy_class
    before = rows(out)
    done = grade(folder, "--out", out)
    assert " 0 of them graded now" in done.stdout
    assert rows(out) == before and not rows(out, current=False)


# Going on


REFUSED = "import os\n\n\ndef {exercise}():\n    pass\n"


@pytest.fixture
def small_class(tmp_path: Path) -> Path:
    folder = tmp_path / "class"
    put(folder, "ada/ring_step.py", STEP)
    put(folder, "ben/ring_step.py", messy.wrong("ring_step", "written_for_four"))
    put(folder, "ben/who_am_i.py", WHO)
    put(folder, "cleo/who_am_i.py", messy.wrong("who_am_i", "swapped"))
    put(folder, "cleo/ring_step.ipynb", "{")
    return folder


@pytest.fixture
def refused_class(tmp_path: Path) -> Path:
    """Answers whose source is refused: no ranks are needed to grade them."""
    folder = tmp_path / "class"
    for name in ("ada/ring_step", "ben/ring_step", "ben/who_am_i", "cleo/who_am_i"):
        put(folder, f"{name}.py", REFUSED.format(exercise=name.partition("/")[2]))
    put(folder, "cleo/ring_step.ipynb", "{")
    return folder


def verdicts(out: Path) -> dict[tuple[str, str], tuple[str, float | None]]:
    return {(r["name"], r["exercise"]): (r["verdict"], r["points"]) for r in rows(out)}


def test_what_changed_is_graded_again_and_regrade_keeps_the_history(
    refused_class: Path, tmp_path: Path, grade: Grade
) -> None:
    small_class, out = refused_class, tmp_path / "out"
    grade(small_class, "--out", out, "--exercise", "ring_step")
    assert {exercise for _, exercise in verdicts(out)} == {"ring_step"}
    grade(small_class, "--out", out)
    first = rows(out)
    assert len(first) == 5
    put(small_class, "ben/ring_step.py", STEP)
    grade(small_class, "--out", out)
    assert verdicts(out)["ben/ring_step.py", "ring_step"] == ("passed", 5.0)
    assert [row["verdict"] for row in rows(out, current=False)] == ["failed"]
    grade(small_class, "--out", out, "--regrade", "who_am_i")
    old = rows(out, current=False)
    assert [row["exercise"] for row in old] == ["ring_step", "who_am_i", "who_am_i"]
    kept = {row["id"] for row in rows(out)} & {row["id"] for row in first}
    assert len(kept) == 2  # ada's ring_step, and cleo's that can't be read


def test_whose_it_is_can_be_told_anew(refused_class: Path, tmp_path: Path, grade: Grade) -> None:
    small_class, out = refused_class, tmp_path / "out"
    for pattern, who in (("auto", "ada"), (r"(?P<who>[a-z]{2})", "ad")):
        grade(small_class / "ada", small_class / "cleo", "--out", out, "--identity", pattern)
        assert {row["who"] for row in rows(out) if row["name"] == "ada/ring_step.py"} == {who}
    assert ">ad<" in (out / files.INDEX).read_text()


# Killed


def _kill_somewhere(folder: Path, out: Path, seed: int, moment: float) -> None:
    """Begin to grade, and kill the grader after that many seconds of judging."""
    grader = subprocess.Popen(
        [*command(folder, "--out", out, "--seed", str(seed)), "--no-nbval"],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    below: list[psutil.Process] = []
    end = time.monotonic() + moment
    while time.monotonic() < end and grader.poll() is None:
        below = list({*below, *psutil.Process(grader.pid).children(recursive=True)})
        time.sleep(0.05)
    grader.send_signal(signal.SIGKILL)
    grader.wait()
    _, alive = psutil.wait_procs(below, timeout=20)
    assert not alive, [each.name() for each in alive]


def _killed_often(
    tmp_path: Path, grade: Grade, times: int, folder: Path, seconds: tuple[float, float]
) -> None:
    grade(folder, "--out", tmp_path / "calm", "--seed", "9")
    out = tmp_path / "killed"
    draw = random.Random()
    for _ in range(times):
        _kill_somewhere(folder, out, 9, draw.uniform(*seconds))
        if (out / "gradebook.sqlite").exists():
            db = sqlite3.connect(out / "gradebook.sqlite")
            assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            db.close()
    grade(folder, "--out", out, "--seed", "9")
    assert verdicts(out) == verdicts(tmp_path / "calm")
    assert not rows(out, current=False), "graded twice"
    assert not list(out.rglob("*.part"))
    for row in rows(out):
        assert (out / files.SUBMISSIONS / files.folder_of(row["raw"]) / files.FEEDBACK).exists()


@pytest.fixture
def mixed_class(tmp_path: Path, small_class: Path) -> Path:
    for i, name in enumerate(("remainder_dropped", "everyone_sends_first", "calls_sys_exit")):
        put(small_class, f"dan{i}/ring_all_reduce.py", messy.wrong("ring_all_reduce", name))
    return small_class


def test_killed_at_any_moment_it_goes_on_to_the_same_grades(
    mixed_class: Path, tmp_path: Path, grade: Grade
) -> None:
    _killed_often(tmp_path, grade, 3, mixed_class, (2.0, 9.0))


@pytest.mark.full
def test_killed_ten_times_it_goes_on_to_the_same_grades(
    mixed_class: Path, tmp_path: Path, grade: Grade
) -> None:
    for i in range(8):
        shutil.copytree(mixed_class / "dan0", mixed_class / f"fay{i}")
    _killed_often(tmp_path, grade, 10, mixed_class, (0.3, 12.0))


def test_one_ctrl_c_ends_it_with_a_sentence(small_class: Path, tmp_path: Path) -> None:
    put(small_class, "eve/ring_all_reduce.py", messy.wrong("ring_all_reduce", "hangs_on_rank_1"))
    out = tmp_path / "out"
    grader = subprocess.Popen(
        [*command(small_class, "--out", out), "--no-nbval"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and not (out.exists() and _count(out) >= 4):
        time.sleep(0.1)
    below = psutil.Process(grader.pid).children(recursive=True)
    grader.send_signal(signal.SIGINT)
    said, complained = grader.communicate(timeout=30)
    assert grader.returncode == 130, complained
    assert "Stopped." in complained and "Traceback" not in complained
    assert not psutil.wait_procs(below, timeout=20)[1]
    assert "Grading was stopped" in (out / files.INDEX).read_text()


def _count(out: Path) -> int:
    try:
        return len(rows(out))
    except sqlite3.Error:
        return 0


# Private cases

_PRIVATE_STEP = """
from ringlab.grading.cases import Case, Problem

SECRET_WORD = "rumpelstiltskin"
WORLDS = (11,)


def cases(world_size, generator):
    def judge(case, results):
        got = [result.returned for result in results]
        return None if got == [(3, 2)] else Problem(f"rumpelstiltskin: {got}")

    name = "rumpelstiltskin"
    return [Case(name, name, world_size, [], judge, watched=None, calls=[(3, 0, world_size)])]
"""
_PRIVATE_NEW = '''
"""A new exercise: twice its argument."""

from ringlab.catalog.exercise import Exercise
from ringlab.grading.cases import Case, Problem
from ringlab.grading.source import SourceRules


def cases(world_size, generator):
    def judge(case, results):
        wrong = [r for (n,), r in zip(case.calls, results) if r.returned != 2 * n]
        return Problem("rumpelstiltskin") if wrong else None

    return [Case("twice", "twice", 1, [], judge, watched=None, calls=[(3,), (21,)])]


EXERCISE = Exercise(
    id="double", lesson=3, points=4, title="Twice", task="", hints=(), worlds=(1,), ranks=False,
    rules=lambda: SourceRules(name="double", kind="function", parameters=("n",)), cases=cases,
)
'''


def test_private_cases_count_and_stay_private(
    tmp_path: Path, grade: Grade, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, private, out = tmp_path / "class", tmp_path / "private", tmp_path / "out"
    put(private, "ring_step.py", _PRIVATE_STEP)
    put(private, "double.py", _PRIVATE_NEW)
    put(folder, "ada/ring_step.py", STEP)
    # Another ring that is right by the course's own cases.
    put(folder, "ben/ring_step.py", messy.right("ring_step", "own_chunk_at_the_end"))
    put(folder, "ada/double.py", "def double(n):\n    return n + n\n")
    put(folder, "ben/double.py", "def double(n):\n    return n * n - 3\n")
    # A folder that was graded before without them.
    grade(folder, "--out", out, "--exercise", "who_am_i")
    assert not rows(out)
    done = grade(folder, "--out", out, "--private-cases", private)
    assert done.returncode == 0, done.stderr
    assert verdicts(out) == {
        ("ada/ring_step.py", "ring_step"): ("passed", 5.0),
        ("ben/ring_step.py", "ring_step"): ("failed", pytest.approx(5 * 7 / 8, abs=0.01)),
        ("ada/double.py", "double"): ("passed", 4.0),
        ("ben/double.py", "double"): ("failed", 0.0),
    }
    for page in [*out.rglob(files.FEEDBACK), *out.rglob(files.RESULTS)]:
        assert "rumpelstiltskin" not in page.read_text()
    assert "rumpelstiltskin" in (out / files.TABLE).read_text()
    assert "rumpelstiltskin" in (out / files.INDEX).read_text()
    with open(out / files.TABLE, newline="", encoding="utf-8") as file:
        commands = {line["submission"]: line["command"] for line in csv.DictReader(file)}
    for name, reports in (("ben/ring_step.py", 2), ("ben/double.py", 1)):
        assert cli.main([*commands[name].split()[1:], "--json"]) == 1
        assert len(capsys.readouterr().out.splitlines()) == reports


# What stops a call


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("ring_step.py", "x = 1\n", "needs a function cases"),
        ("twice.py", "x = 1\n", "needs EXERCISE"),
        ("ring_step.py", "def cases(:\n", "SyntaxError"),
        ("notes.txt", "x", "no file <exercise>.py"),
    ],
)
def test_private_cases_that_cant_be_used_are_one_sentence(
    tmp_path: Path, name: str, content: str, says: str
) -> None:
    from ringlab.catalog.private import BadPrivateCases, load

    put(tmp_path, name, content)
    with pytest.raises(BadPrivateCases, match=says):
        load(tmp_path)
    with pytest.raises(BadPrivateCases, match="can't be read"):
        load(tmp_path / "none")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none"], "no file or folder none"),
        (["class.zip"], "Unpack it"),
        (["empty"], "no notebook and no Python file"),
        (["class", "--jobs", "-1"], "--jobs -1"),
        (["class", "--seed", "-1"], "--seed -1"),
        (["class", "--exercise", "ringstep"], "no exercise 'ringstep'"),
        (["class", "--regrade", "ringstep"], "no exercise 'ringstep'"),
        (["class", "--identity", "("], "no regular expression"),
        (["class", "--identity", "x"], "no group"),
    ],
)
def test_what_cant_be_graded_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "class/ring_step.py", STEP)
    put(tmp_path, "class.zip", "PK")
    (tmp_path / "empty").mkdir()
    assert cli.main(["grade", *arguments, "--out", "out"]) == 1
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.fixture
def full_disk(tmp_path: Path) -> Any:
    """A file system of 96 KiB, where this user may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    arguments = ["-t", "tmpfs", "-o", "size=96k", "tmpfs", str(place)]
    if mount is None or subprocess.run([mount, *arguments], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_one_sentence_and_nothing_is_lost(
    full_disk: Path, tmp_path: Path, grade: Grade
) -> None:
    folder, out = tmp_path / "class", full_disk / "out"
    for i in range(12):
        refused = f"import os  # {i}\n" + messy.wrong("ring_step", "order_swapped")
        put(folder, f"s{i:02}/ring_step.py", refused)
    done = grade(folder, "--out", out)
    assert done.returncode == 1
    assert done.stderr.count("can't be written") == 1 and "Traceback" not in done.stderr
    kept = len(rows(out))
    subprocess.run(["mount", "-o", "remount,size=8m", str(full_disk)], check=True)
    done = grade(folder, "--out", out)
    assert done.returncode == 0
    assert len(rows(out)) == 12 and not rows(out, current=False)
    assert f" {12 - kept} of them graded now" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_gets_a_row(tmp_path: Path, grade: Grade) -> None:
    put(tmp_path / "class", "ring_step.py", STEP).chmod(0)
    assert grade(tmp_path / "class", "--out", tmp_path / "out").returncode == cli.NOT_JUDGED
    assert verdicts(tmp_path / "out")["ring_step.py", "ring_step"][0] == "could not be judged"


@pytest.mark.parametrize(
    ("mode", "name", "runs"),
    [
        ("auto", "none", False),
        ("auto", "bubblewrap", True),
        ("off", "none", True),
    ],
)
def test_a_program_is_run_in_a_sandbox_or_by_order(
    mode: str, name: str, runs: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its source is held by no rule, so that without a wall it could write into the gradebook."""
    from types import SimpleNamespace

    from ringlab import catalog
    from ringlab.gradebook import worker
    from ringlab.grading import command

    ran = []
    monkeypatch.setattr(command, "check_answer", lambda *_, **__: ran.append(1))
    at_work: Any = SimpleNamespace(mode=mode, protection={"name": name}, start="auto")
    report = worker._Worker._report(at_work, catalog.get("grade_worker"), tmp_path / "x.py", 1)
    assert bool(ran) == runs
    assert runs or report.verdict == "could not be judged"
