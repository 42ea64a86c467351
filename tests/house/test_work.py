"""The learner's copies: made once, never overwritten, kept by a reset."""

import json
import os
import platform
import re
import time
from pathlib import Path

import pytest

from ringlab.words import cli as words
from ringlab.work import CommandError, answers, bring, bring_lessons, lesson_copies, reset


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "notebooks").mkdir()
    for name in ("00_start.ipynb", "04_ring.ipynb"):
        (tmp_path / "notebooks" / name).write_text(f"pristine {name}")
    return tmp_path


def test_every_lesson_is_copied_once(root: Path) -> None:
    assert [path.name for path in bring_lessons(root)] == ["00_start.ipynb", "04_ring.ipynb"]
    assert bring_lessons(root) == []
    assert sorted(path.name for path in (root / "work").iterdir()) == [
        "00_start.ipynb",
        "04_ring.ipynb",
    ]


def test_an_update_does_not_touch_what_is_there_and_brings_what_is_new(root: Path) -> None:
    bring_lessons(root)
    (root / "work" / "04_ring.ipynb").write_text("mine")
    (root / "notebooks" / "04_ring.ipynb").write_text("pristine, second edition")
    (root / "notebooks" / "05_tree.ipynb").write_text("new")
    assert [path.name for path in bring_lessons(root)] == ["05_tree.ipynb"]
    assert (root / "work" / "04_ring.ipynb").read_text() == "mine"


def test_writing_into_a_copy_does_not_change_the_original(root: Path) -> None:
    (copy, _) = bring_lessons(root)
    with copy.open("a") as file:
        file.write("mine")
    assert (root / "notebooks" / "00_start.ipynb").read_text() == "pristine 00_start.ipynb"


@pytest.mark.parametrize("name", ["4", "04", "04_ring", "04_ring.ipynb"])
def test_reset_brings_a_fresh_one_and_keeps_the_old(root: Path, name: str) -> None:
    bring_lessons(root)
    (root / "work" / "04_ring.ipynb").write_text("mine")
    said = reset(name, root)
    assert (root / "work" / "04_ring.ipynb").read_text() == "pristine 04_ring.ipynb"
    (kept,) = set((root / "work").glob("04_ring.*.ipynb"))
    assert kept.read_text() == "mine"
    assert re.fullmatch(r"04_ring\.\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.ipynb", kept.name)
    assert kept.name in " ".join(said)


def test_the_first_lesson_is_called_0_too(root: Path) -> None:
    reset("0", root)
    assert (root / "work" / "00_start.ipynb").exists()


def test_two_resets_in_one_second_keep_both(root: Path) -> None:
    bring_lessons(root)
    for text in ("first", "second", "third"):
        (root / "work" / "04_ring.ipynb").write_text(text)
        reset("04", root)
    kept = {path.read_text() for path in (root / "work").glob("04_ring.*.ipynb")}
    assert kept == {"first", "second", "third"}


def test_reset_of_a_lesson_never_opened_brings_it(root: Path) -> None:
    reset("04", root)
    assert lesson_copies(root)[1].exists()


def test_an_unknown_lesson_names_those_that_exist(root: Path) -> None:
    with pytest.raises(CommandError, match="'9'.*00_start, 04_ring"):
        reset("9", root)


def test_without_notebooks_it_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="build"):
        bring_lessons(tmp_path)


def test_a_work_folder_that_can_not_be_made_is_one_sentence(root: Path) -> None:
    (root / "work").write_text("a file")
    with pytest.raises(CommandError, match="work/00_start.ipynb can't be written"):
        bring_lessons(root)


def answer(path: Path, written: bool, age: float) -> Path:
    path.parent.mkdir(exist_ok=True)
    blank = words.TODO_ERROR.format(exercise="ring_step")
    path.write_text("def ring_step(): " + ("return 1, 2" if written else f'raise X("{blank}")'))
    os.utime(path, times=(time.time() - age,) * 2)
    return path


def test_the_newest_written_answer_is_judged(root: Path) -> None:
    answer(root / "work" / "03_ring.ipynb", written=True, age=50)
    newest = answer(root / "work" / "ring_step.py", written=True, age=10)
    assert answers("ring_step", root)[0][0] == newest


def test_a_fresh_todo_does_not_hide_a_written_answer(root: Path) -> None:
    written = answer(root / "work" / "03_ring.ipynb", written=True, age=500)
    answer(root / "work" / "ring_step.py", written=False, age=1)
    assert answers("ring_step", root)[0][0] == written


def test_a_learners_own_file_counts_and_a_kept_copy_does_not(root: Path) -> None:
    own = answer(root / "work" / "trying things.py", written=True, age=100)
    answer(root / "work" / "03_ring.2030-01-02_03-04-05.ipynb", written=True, age=1)
    answer(root / "work" / "03_ring.2030-01-02_03-04-05-2.ipynb", written=True, age=1)
    assert answers("ring_step", root)[0][0] == own


def test_no_answer_anywhere(root: Path) -> None:
    bring_lessons(root)
    assert answers("ring_step", root) == []


def test_a_copied_notebook_is_what_a_kernel_here_would_save(tmp_path: Path) -> None:
    source = tmp_path / "notebooks" / "00_start.ipynb"
    source.parent.mkdir()
    cell = {"cell_type": "code", "source": "lab.doctor()", "outputs": [1], "execution_count": 3}
    book = {"cells": [cell], "metadata": {"language_info": {"name": "python"}}}
    source.write_text(json.dumps(book))
    copy = bring(source, tmp_path)
    assert copy is not None
    made = json.loads(copy.read_text())
    assert made["metadata"]["language_info"]["version"] == platform.python_version()
    assert made["metadata"]["kernelspec"]["display_name"] == "Python 3 (ipykernel)"
    assert made["cells"][0]["outputs"] == [], "what this machine has is not another's"
