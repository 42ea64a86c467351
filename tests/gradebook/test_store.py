"""The gradebook's file: whole, locked, and only its own."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import conftest
import pytest

from ringlab.gradebook.discover import Handed, Plan
from ringlab.gradebook.store import FILE, Gradebook, GradebookError, Judgement

ONE = Judgement("ring_step", "passed", 5.0, 5.0, 1.5, "", sha256="a", seed=3)


def handed(name: str = "ada/x.py", who: str = "ada") -> Handed:
    return Handed(Path("/class") / name, os.fsencode(name), who)


def test_a_judgement_is_kept_and_the_one_before_it_stays_in_the_history(tmp_path: Path) -> None:
    with Gradebook(tmp_path / "out") as book:
        number = book.hand_in(handed(), "a")
        book.keep(number, ONE)
        book.keep(number, replace(ONE, verdict="failed", points=2.0))
        assert [row["verdict"] for row in book.judgements(number)] == ["failed"]
        assert [row["verdict"] for row in book.history(number, "ring_step")] == ["passed"]
    with Gradebook(tmp_path / "out") as book:
        assert book.is_judged(book.hand_in(handed(), "a"), "ring_step", "a")


def test_a_changed_file_is_to_be_graded_again(tmp_path: Path) -> None:
    with Gradebook(tmp_path / "out") as book:
        number = book.hand_in(handed(), "a")
        book.keep_plan(number, Plan(("ring_step",), (3,)))
        book.keep(number, ONE)
        assert book.hand_in(handed(), "b") == number
        assert book.plan(number) is None
        assert not book.judgements(number)
        assert not book.is_judged(number, "ring_step", "b")


def test_what_may_end_otherwise_is_not_done(tmp_path: Path) -> None:
    with Gradebook(tmp_path / "out") as book:
        number = book.hand_in(handed(), "a")
        book.keep(number, replace(ONE, verdict="could not be judged", points=None, again=True))
        assert not book.is_judged(number, "ring_step", "a")


def test_any_file_name_is_kept_as_it_is(tmp_path: Path) -> None:
    raw = b"sam\xff/\n'=1+1.py"
    with Gradebook(tmp_path / "out") as book:
        book.keep(book.hand_in(Handed(Path("/x"), raw, ""), "a"), ONE)
        (row,) = book.submissions()
        assert row["raw"] == raw
        assert row["name"].isprintable() and "\\udcff" in row["name"]


def test_the_seed_is_drawn_once(tmp_path: Path) -> None:
    with Gradebook(tmp_path / "a") as book:
        seed = book.seed
    with Gradebook(tmp_path / "a") as book:
        assert book.seed == seed
    with Gradebook(tmp_path / "b", seed=7) as book:
        assert book.seed == 7 != seed
    with pytest.raises(GradebookError, match="--seed 7"):
        Gradebook(tmp_path / "b", seed=8)
    Gradebook(tmp_path / "b", seed=7).close()


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    with Gradebook(tmp_path), pytest.raises(GradebookError, match="Another"):
        Gradebook(tmp_path)
    Gradebook(tmp_path).close()


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(GradebookError, match="thesis.tex"):
        Gradebook(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("content", [b"no database at all " * 100, b""])
def test_a_damaged_or_foreign_database_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    if not content:
        Gradebook(tmp_path).close()  # an empty file is what a kill in the first moment leaves
        return
    with pytest.raises(GradebookError, match="no gradebook, or it is damaged"):
        Gradebook(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("CREATE TABLE songs (name TEXT)")
    db.commit()
    db.close()
    with pytest.raises(GradebookError, match="no gradebook"):
        Gradebook(tmp_path)


def test_a_gradebook_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Gradebook(tmp_path).close()
    monkeypatch.setattr("ringlab.__version__", "9.9.9")
    with pytest.raises(GradebookError, match="version 0.*this is 9.9.9"):
        Gradebook(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(GradebookError, match="can't be written"):
        Gradebook(tmp_path / "out")


_WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_store import ONE, handed
from ringlab.gradebook.store import Gradebook
with Gradebook(Path({folder!r})) as book:
    for i in range(1_000_000):
        number = book.hand_in(handed(f"{{i}}.py"), "a")
        book.keep(number, replace(ONE, message="x" * 2000, report="y" * 20_000))
        print(i, flush=True)
"""


def test_a_kill_loses_nothing_that_was_said_to_be_kept(tmp_path: Path) -> None:
    source = _WRITER.format(tests=str(Path(__file__).parent), folder=str(tmp_path / "out"))
    for pause in (0.05, 0.11, 0.23):
        writer = subprocess.Popen(
            [sys.executable, "-c", source],
            stdout=subprocess.PIPE,
            text=True,
            env=conftest.environment(),
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(pause)
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read()
        writer.wait()
        writer.stdout.close()
        said = int(rest.split()[-1]) + 1 if rest.split() else 1
        with Gradebook(tmp_path / "out") as book:
            kept = list(book.submissions())
            assert len(kept) >= said
            for each in kept:
                (row,) = book.judgements(each["id"], with_report=True)
                assert row["report"] == "y" * 20_000
