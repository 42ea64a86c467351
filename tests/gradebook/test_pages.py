"""What people read: pages and tables in which nothing of a learner's acts."""

from __future__ import annotations

import csv
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ringlab.gradebook import files, pages, results
from ringlab.gradebook.discover import Handed, Plan
from ringlab.gradebook.pages import Progress
from ringlab.gradebook.store import Gradebook, Judgement, NotebookRun
from ringlab.view.style import INK, PAPER

EVIL = "<img src=x onerror=alert(1)>"
FORMULA = '=HYPERLINK("http://localhost")'
PASSED = Judgement("ring_step", "passed", 5.0, 5.0, 1.5, "", report="<p>fine</p>", seed=3)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.seen


@pytest.fixture
def book(tmp_path: Path) -> Any:
    with Gradebook(tmp_path / "out", seed=1) as made:
        made.begin_run({})
        protection = {"name": "none", "guarantees": [], "missing": [EVIL]}
        made.protect_run(protection)

        def hand_in(name: str, *judgements: Judgement) -> int:
            number = made.hand_in(Handed(Path("/c") / name, os.fsencode(name), name[:20]), "a")
            made.keep_plan(number, Plan(tuple(each.exercise for each in judgements)))
            for each in judgements:
                made.keep(number, each)
            return number

        made.test_hand_in = hand_in
        hand_in("ada/a.py", PASSED, replace(PASSED, exercise="ring_all_reduce", max_points=10.0))
        wrong = json.dumps([{"name": EVIL, "passed": False, "message": EVIL, "layer": "source"}])
        bad = replace(PASSED, verdict="failed", points=0.0, message=EVIL, checks=wrong)
        hand_in(EVIL + "/x.py", bad)
        hand_in(FORMULA.replace("/", "") + ".py", replace(bad, points=2.5, message=FORMULA))
        lost = replace(PASSED, verdict="could not be judged", points=None, message=EVIL)
        number = hand_in("+zoe.ipynb", lost)
        made.keep_notebook_run(number, NotebookRun(3, "stops", EVIL, 1.0, 7))
        yield made


def index(book: Gradebook, **more: Any) -> str:
    return "".join(pages.index(book, {EVIL: EVIL}, more.get("progress", Progress())))


def feedback(book: Gradebook, number: int) -> str:
    submission = book.submission(number)
    rows = book.judgements(number, with_report=True)
    return "".join(pages.feedback(submission, rows, book.notebook_runs(number)))


def test_nothing_that_a_learner_wrote_becomes_html(book: Gradebook) -> None:
    for page in (index(book), *(feedback(book, n) for n in range(1, 5))):
        assert not [attrs for tag, attrs in tags(page) if tag == "img" or "onerror" in attrs]
        assert page.count("<script") == page.count("</script>") <= 1


def test_a_page_needs_nothing_from_elsewhere(book: Gradebook) -> None:
    for page in (index(book), feedback(book, 1)):
        assert "default-src 'none'" in page
        for _, attrs in tags(page):
            for name in ("src", "href"):
                value = attrs.get(name) or ""
                assert not re.match(r"\w+:", value) or value.startswith("data:")
        assert "@import" not in page and "url(" not in page


def test_what_could_not_be_judged_stands_first_and_has_no_points(book: Gradebook) -> None:
    page = index(book)
    assert page.index("could not be judged") < page.index("<h2>Exercises")
    assert "+zoe.ipynb" in page[: page.index("<h2>Exercises")]
    assert "points open" in feedback(book, 4)


def test_pass_rates_and_the_commonest_mistakes_are_there(book: Gradebook) -> None:
    page = index(book)
    # Two of the three ring_step that were judged are wrong, one passed.
    assert re.search(r"ring_step</code></td><td class=\"number\"[^>]*>33 %", page)
    assert pages._pattern("Rank 3 ends with 1.5e-3") == pages._pattern("Rank 0 ends with 2")


def test_an_unfinished_gradebook_says_so(book: Gradebook) -> None:
    assert "under way: 3 of 9" in index(book, progress=Progress(3, 9, "running"))
    assert "stopped at 3 of 9" in index(book, progress=Progress(3, 9, "stopped"))
    assert "of 9" not in index(book)


def test_every_link_of_the_index_leads_to_a_page(book: Gradebook) -> None:
    folders = {files.folder_of(row["raw"]) for row in book.submissions()}
    links = [attrs["href"] for tag, attrs in tags(index(book)) if tag == "a"]
    targets = {str(link).partition("#")[0] for link in links} - {files.TABLE}
    assert targets == {f"submissions/{folder}/feedback.html" for folder in folders}


def test_folders_are_told_apart_and_hold_nothing_odd() -> None:
    names = [b"a/b.py", b"a b.py", b"a-b.py", b"../x", b"\xff", b"x" * 5000, "🦊".encode(), b"..."]
    folders = [files.folder_of(name) for name in names]
    assert len(set(folders)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_][\w.-]{0,90}", folder) for folder in folders)


def table(book: Gradebook) -> list[dict[str, str]]:
    lines = "".join(results.grades(book))
    return list(csv.DictReader(lines.splitlines(keepends=True)))


def test_no_cell_of_the_table_is_a_formula(book: Gradebook) -> None:
    for row in table(book):
        for value in row.values():
            assert not value.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert any(row["submission"].startswith("'=HYPER") for row in table(book))
    assert any(row["submission"] == "'+zoe.ipynb" for row in table(book))


def test_the_table_has_a_row_for_each_answer(book: Gradebook) -> None:
    found = table(book)
    assert len(found) == 5
    assert [row["points"] for row in found if row["exercise"] == "ring_all_reduce"] == ["5"]
    (lost,) = (row for row in found if row["verdict"] == "could not be judged")
    assert lost["points"] == "" and lost["max_points"] == "5"
    assert lost["notebook"] == "stops at cell 7" and lost["protection"] == "none"
    assert "./course check ring_step /c/ada/a.py --seed 3" in [row["command"] for row in found]


@pytest.mark.parametrize(
    ("path", "quoted"),
    [
        (b"/a/b.py", "/a/b.py"),
        (b"/a/it's mine.py", "'/a/it'\"'\"'s mine.py'"),
        (b"/a/two\nlines\xff'\\.py", r"$'/a/two\x0alines\xff\x27\x5c.py'"),
    ],
)
def test_the_command_can_be_pasted_into_a_shell(path: bytes, quoted: str) -> None:
    row = {"exercise": "ring_step", "path": path, "seed": 1}
    assert results.command(row) == f"./course check ring_step {quoted} --seed 1"


def test_gradescope_gets_what_it_documents(book: Gradebook) -> None:
    told = json.loads(results.gradescope(book.judgements(1), []))
    assert told["score"] == 10.0 and told["stdout_visibility"] == "hidden"
    assert [test["max_score"] for test in told["tests"]] == [5.0, 10.0]
    assert {test["status"] for test in told["tests"]} == {"passed"}
    lost = json.loads(results.gradescope(book.judgements(4), book.notebook_runs(4)))
    assert lost["score"] == 0 and "points are open" in lost["tests"][0]["output"]
    assert lost["tests"][0]["output_format"] == "text"


def test_a_report_takes_the_pages_colours_and_no_text_of_it_changes() -> None:
    made = pages.themed(f'<p style="color:{INK};background:{PAPER}">{INK}</p>')
    assert made == f'<p style="color:var(--ink);background:var(--paper)">{INK}</p>'


def test_a_file_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    def breaks() -> Any:
        yield "half"
        raise OSError(28, "No space left on device")

    path = tmp_path / "folder" / "page.html"
    with pytest.raises(OSError):
        files.write_whole(path, breaks())
    assert list((tmp_path / "folder").iterdir()) == []
    files.write_whole(path, ["whole"])
    with pytest.raises(OSError):
        files.write_whole(path, breaks())
    assert path.read_text() == "whole"
    with open(path) as reader:
        files.write_whole(path, ["new"])
        assert reader.read() == "whole"
    assert path.read_text() == "new"
    (tmp_path / "folder" / ".page.html.part").write_text("of a killed call")
    files.remove_parts(tmp_path / "folder")
    assert [each.name for each in (tmp_path / "folder").iterdir()] == ["page.html"]
