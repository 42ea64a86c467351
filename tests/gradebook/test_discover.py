"""What is a submission, whose it is, and what it is to hold."""

from __future__ import annotations

import json
import os
from pathlib import Path

import messy
import pytest

from ringlab.gradebook.discover import BadIdentity, Plan, find, identity, plan

STEP = messy.reference("ring_step")
RING = messy.reference("ring_all_reduce")


def names(folder: Path, *paths: Path, out: Path | None = None) -> list[str]:
    found = find(paths or [folder], out or folder / "nowhere", identity("auto"))
    return [os.fsdecode(each.raw) for each in found.submissions]


def put(folder: Path, name: str, content: str | bytes = "x = 1\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_notebooks_and_python_files_of_a_tree_are_found_in_order(tmp_path: Path) -> None:
    for name in ("b/x.py", "a/y.IPYNB", "a/deep/er/z.ipynb", "top.py", "a/notes.txt"):
        put(tmp_path, name)
    assert names(tmp_path) == ["a/deep/er/z.ipynb", "a/y.IPYNB", "b/x.py", "top.py"]


def test_what_tools_leave_behind_is_no_submission(tmp_path: Path) -> None:
    for name in (
        ".ipynb_checkpoints/x-checkpoint.ipynb",
        "__pycache__/x.py",
        "__MACOSX/._x.ipynb",
        "a/._x.py",
        ".git/hook.py",
        "venv/pyvenv.cfg",
        "venv/lib/x.py",
    ):
        put(tmp_path, name)
    assert names(tmp_path) == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = put(tmp_path, "secret/x.py")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "x.py").symlink_to(secret)
    (tmp_path / "class" / "folder").symlink_to(secret.parent, target_is_directory=True)
    found = find([tmp_path / "class"], tmp_path / "out", identity("auto"))
    assert not found.submissions and set(found.left_out) == {"x.py", "folder"}


def test_the_gradebook_itself_is_not_graded(tmp_path: Path) -> None:
    put(tmp_path, "a/x.py")
    put(tmp_path, "out/submissions/y.py")
    assert names(tmp_path, out=tmp_path / "out") == ["a/x.py"]


def test_several_paths_keep_apart_what_is_called_alike(tmp_path: Path) -> None:
    one, two = put(tmp_path, "a/x.py"), put(tmp_path, "b/x.py")
    assert names(tmp_path, one.parent, two.parent) == ["a/x.py", "b/x.py"]
    assert names(tmp_path, one, two, tmp_path / "a") == ["a/x.py", "b/x.py"]
    assert names(tmp_path, one) == ["x.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "who"),
    [
        ("ada/04_ring.ipynb", "ada"),
        ("ada/week 1/04_ring.ipynb", "ada"),
        ("04_ring.ipynb", "04_ring"),
        ("youngneil_4711_0815_04_ring.ipynb", "youngneil"),
        ("youngneil_LATE_4711_0815_04_ring.ipynb", "youngneil"),
        ("group/youngneil_4711_0815_04_ring.ipynb", "youngneil"),
        ("Neil Young_12345_assignsubmission_file_/04_ring.ipynb", "Neil Young"),
        ("Neil Young_12345_assignsubmission_file/04_ring.ipynb", "Neil Young"),
        ("course/Neil Young_12345_assignsubmission_file_/a/b.ipynb", "Neil Young"),
        ("Neil Young_12345_assignsubmission_file_04_ring.ipynb", "Neil Young"),
        ("two\nlines/x.py", "two\nlines"),
    ],
)
def test_whose_it_is_is_read_from_its_path(path: str, who: str) -> None:
    assert identity("auto")(path) == who


def test_a_pattern_of_ones_own(tmp_path: Path) -> None:
    who = identity(r"team-(?P<who>\d+)")
    assert who("x/team-17/a.py") == "17"
    assert who("x/others/a.py") == ""
    assert identity("file")("a/b/c.tar.py") == "c.tar"
    with pytest.raises(BadIdentity, match="no group"):
        identity("team")
    with pytest.raises(BadIdentity, match="no regular expression"):
        identity("(?P<who>")


def planned(tmp_path: Path, name: str, content: str | bytes) -> tuple[str, ...]:
    return plan(put(tmp_path, name, content)).exercises


def test_a_lessons_notebook_holds_all_of_its_exercises(tmp_path: Path) -> None:
    book = messy.lesson("05_latency_or_bandwidth", {})
    wanted = {"tree_all_reduce", "ring_time", "tree_time", "hierarchical_all_reduce"}
    assert set(planned(tmp_path, "mine.ipynb", book)) == wanted
    assert plan(tmp_path / "mine.ipynb").lessons == (5,)


@pytest.mark.parametrize(
    "name",
    [
        "04_ring_on_real_ranks.ipynb",
        "lee_1_2_04_ring_on_real_ranks-1.ipynb",
        "Copy of 04_ring_on_real_ranks (3).ipynb",
    ],
)
def test_a_lesson_is_known_by_its_name_when_its_metadata_is_gone(tmp_path: Path, name: str) -> None:
    assert planned(tmp_path, name, messy.book(messy.code("x"))) == ("ring_all_reduce",)


def test_a_damaged_notebook_is_still_expected_to_hold_its_lesson(tmp_path: Path) -> None:
    found = plan(put(tmp_path, "04_ring_on_real_ranks.ipynb", b'{"cells": ['))
    assert found.exercises == ("ring_all_reduce",) and "not a notebook" in found.problem


def test_a_definition_in_another_answers_cell_is_its_helper(tmp_path: Path) -> None:
    ring = {"ring_all_reduce": STEP + "\n\n" + RING}
    assert planned(tmp_path, "a.ipynb", messy.lesson("04_ring_on_real_ranks", ring)) == (
        "ring_all_reduce",
    )
    both = messy.book(messy.code(STEP), messy.code(RING))
    assert planned(tmp_path, "b.ipynb", both) == ("ring_step", "ring_all_reduce")
    assert planned(tmp_path, "ring_all_reduce.py", STEP + "\n\n" + RING) == ("ring_all_reduce",)
    assert planned(tmp_path, "mine.py", STEP + "\n\n" + RING) == ("ring_step", "ring_all_reduce")


def test_marked_cells_are_expected_even_if_the_name_is_gone(tmp_path: Path) -> None:
    book = json.loads(messy.lesson("03_ring_on_paper", {"ring_step": "x = 1"}))
    book["metadata"] = {}
    assert planned(tmp_path, "a.ipynb", json.dumps(book)) == ("ring_step",)


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("ring_step.py", True),
        ("lee_12_34_ring_step-2.py", True),
        ("ring_step (1).py", True),
        ("my_string_step.py", False),
        ("ring_steps.py", False),
        ("helpers.py", False),
    ],
)
def test_a_python_file_that_defines_nothing_counts_by_its_name(
    tmp_path: Path, name: str, holds: bool
) -> None:
    assert (planned(tmp_path, name, "x = 1\n") == ("ring_step",)) is holds


def test_an_empty_python_file_is_an_answer_only_by_its_name(tmp_path: Path) -> None:
    assert plan(put(tmp_path, "__init__.py", "")) == Plan()
    found = plan(put(tmp_path, "ring_step.py", ""))
    assert found.exercises == ("ring_step",) and "empty" in found.problem
    assert "empty" in plan(put(tmp_path, "mine.ipynb", "")).problem
