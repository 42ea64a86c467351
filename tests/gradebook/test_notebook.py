"""A learner's code in the pristine notebook: where it stops, and what is not counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import messy
import psutil
import pytest

from ringlab.gradebook import notebook
from ringlab.gradebook.notebook import run_notebook

TODO = "def {name}(n):\n    raise NotImplementedError('not yet')\n"
RIGHT = "def double(n):\n    return 2 * n\n"


def part(name: str, kind: str, source: str) -> dict[str, Any]:
    return messy.code(source, metadata={"ringlab": {"exercise": name, "part": kind}})


@pytest.fixture(autouse=True)
def small_lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A course of one lesson with two exercises."""
    cells = [
        messy.text("# Doubling"),
        messy.code("print('a demo')"),
        part("double", "answer", TODO.format(name="double")),
        part("double", "check", "assert double(4) == 8, 'twice four is eight'"),
        part("halve", "answer", TODO.format(name="halve")),
        part("halve", "check", "assert halve(4) == 2"),
        messy.code("print('the end')"),
    ]
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "03_doubling.ipynb").write_bytes(messy.book(*cells))
    monkeypatch.setattr(notebook, "ROOT", tmp_path)


def handed_in(tmp_path: Path, source: str) -> Path:
    path = tmp_path / "mine.ipynb"
    path.write_bytes(messy.book(messy.code("1 / 0"), messy.code(source), nbformat=4))
    return path


def test_a_right_answer_runs_and_what_else_was_handed_in_is_left_behind(tmp_path: Path) -> None:
    done = run_notebook(handed_in(tmp_path, RIGHT), 3, ["double"], ["double"])
    assert (done.outcome, done.message) == ("runs", "")


@pytest.mark.parametrize(
    ("source", "cell", "says"),
    [
        (RIGHT.replace("2", "3"), 4, "twice four is eight"),
        (RIGHT + "raise RuntimeError('on the way')\n", 3, "on the way"),
        ("def double(n:\n", 3, "SyntaxError"),
        ("x = 1\n", 4, "not yet"),
    ],
)
def test_the_first_cell_that_fails_is_named(
    tmp_path: Path, source: str, cell: int, says: str
) -> None:
    done = run_notebook(handed_in(tmp_path, source), 3, ["double"], ["double"])
    assert (done.outcome, done.cell) == ("stops", cell), done.message
    assert says in done.message


def test_an_answer_that_may_not_be_run_is_not_run_and_counts(tmp_path: Path) -> None:
    evil = RIGHT + f"open({str(tmp_path / 'written')!r}, 'w')\n"
    done = run_notebook(handed_in(tmp_path, evil), 3, ["double"], [])
    assert (done.outcome, done.cell) == ("stops", 4)
    assert not (tmp_path / "written").exists()


def test_a_cell_that_never_ends_is_stopped_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "CELL_SECONDS", 2)
    source = RIGHT + "while True:\n    pass\n"
    before = psutil.Process().children(recursive=True)
    done = run_notebook(handed_in(tmp_path, source), 3, ["double"], ["double"])
    assert (done.outcome, done.cell) == ("stops", 3), done.message
    assert set(psutil.Process().children(recursive=True)) <= set(before)


def test_a_file_that_cant_be_read_and_a_lesson_that_is_not_there(tmp_path: Path) -> None:
    torn = tmp_path / "mine.ipynb"
    torn.write_text("{")
    assert run_notebook(torn, 3, ["double"], ["double"]).outcome == "not run"
    done = run_notebook(handed_in(tmp_path, RIGHT), 8, ["double"], ["double"])
    assert done.outcome == "not run" and "08" in done.message


def test_the_lesson_itself_is_not_changed(tmp_path: Path) -> None:
    before = (tmp_path / "notebooks" / "03_doubling.ipynb").read_bytes()
    run_notebook(handed_in(tmp_path, RIGHT), 3, ["double"], ["double"])
    assert (tmp_path / "notebooks" / "03_doubling.ipynb").read_bytes() == before
    assert json.loads(before)["cells"]
