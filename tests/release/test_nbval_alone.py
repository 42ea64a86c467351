"""What `pytest --nbval-lax notebook.ipynb` says of a learner's notebook, with nothing around it.

Honest notebooks get the right answer, and so do those that lost a check. Some tricks fool it, since
the learner's code and the check live in one kernel: each of them is here too, with the verdict of
`./course check` on the same file. INSTRUCTORS.md names them.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from editions import ROOT, answered, cell_of, keep, only_exercises, reference

from ringlab.grading.command import check_file
from ringlab.pytest_plugin import missing_checks
from ringlab.words import judge as judge_words

CELL_SECONDS = 90
SIGNATURE = "def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:\n"
RIGHT = reference("ring_step")
WRONG = SIGNATURE + "    return rank % world_size, (rank - step - 1) % world_size\n"
PLUGIN = "ringlab.pytest_plugin"
REFUSED = judge_words.CHECK_FAILED.format(
    exercise="ring_step", verdict=judge_words.VERDICTS["failed"]
)


def lesson(answer: str = "") -> Any:
    """The exercise of lesson 03 without the lesson around it, which would only cost time."""
    return only_exercises(answered("03", **({"ring_step": answer} if answer else {})))


def check_cell(notebook: Any) -> Any:
    return cell_of(notebook, "ring_step", "check")


def without_check(notebook: Any) -> Any:
    return keep(notebook, lambda cell: "lab.check" not in cell.source)


def never_run(notebook: Any) -> Any:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def with_check(change: Callable[[Any], None]) -> Any:
    notebook = lesson(WRONG)
    change(check_cell(notebook))
    return notebook


def tagged(cell: Any) -> None:
    cell.metadata["tags"] = ["nbval-skip"]


def expected_to_raise(cell: Any) -> None:
    cell.source = "# NBVAL_RAISES_EXCEPTION\n" + cell.source


def under_an_unknown_magic(cell: Any) -> None:
    cell.source = "%no_such_magic\n" + cell.source


def swallowed(cell: Any) -> None:
    cell.source = f"try:\n    {cell.source}\nexcept BaseException:\n    pass"


def in_a_dead_branch(cell: Any) -> None:
    cell.source = f"if False:\n    {cell.source}"


def as_markdown(cell: Any) -> None:
    cell.cell_type = "markdown"
    cell.pop("outputs", None)
    cell.pop("execution_count", None)


SILENT = "get_ipython().showtraceback = lambda *args, **kwargs: None\n"
PASSED_OVER = "get_ipython().input_transformers_post.append(lambda lines: ['pass\\n'])\n"
PATCHED = "import ringlab as lab\n\nlab.check = lambda answer: None\n"


@dataclass(frozen=True)
class Case:
    notebook: Callable[[], Any]
    passes: bool
    says: str = ""


CASES = {
    "right": Case(lambda: lesson(RIGHT), True),
    "right_never_run": Case(lambda: never_run(lesson(RIGHT)), True),
    "unsolved": Case(lesson, False, REFUSED),
    "wrong": Case(lambda: lesson(WRONG), False, REFUSED),
    "exits": Case(
        lambda: lesson(WRONG.replace("    return", "    raise SystemExit(0)\n    return")),
        False,
        REFUSED,
    ),
    "exits_in_its_cell": Case(lambda: lesson(f"import sys\n\n{WRONG}\n\nsys.exit(0)\n"), False),
    "answer_deleted": Case(
        lambda: keep(lesson(), lambda cell: "def ring_step" not in cell.source), False, "NameError"
    ),
    "check_deleted": Case(lambda: without_check(lesson(WRONG)), False, "bring the cell"),
    "check_tagged_to_be_skipped": Case(lambda: with_check(tagged), False, "nbval-skip"),
    "check_under_an_unknown_magic": Case(
        lambda: with_check(under_an_unknown_magic), False, "is changed"
    ),
    # What nbval can't see. Only a grader that judges from outside the kernel can.
    "fools_it_no_traceback": Case(lambda: lesson(SILENT + WRONG), True),
    "fools_it_cells_passed_over": Case(lambda: lesson(WRONG + PASSED_OVER), True),
    "fools_it_check_patched": Case(lambda: lesson(PATCHED + WRONG), True),
}


Outcomes = dict[str, dict[str, str]]


def nbval(folder: Path, *arguments: str) -> Outcomes:
    """Run nbval on every notebook of the folder: how its cells ended, and with what words."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    installed = {entry.value for entry in importlib.metadata.entry_points(group="pytest11")}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", *arguments),
            # What ./course installs is loaded by itself; in an environment without it, by name.
            *(() if PLUGIN in installed else ("-p", PLUGIN)),
            *("-c", "pytest.ini", "-p", "no:cacheprovider", "-p", "no:xdist"),
            "--junitxml=report.xml",
        ],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=path),
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    ended: Outcomes = {}
    for case in ElementTree.parse(folder / "report.xml").getroot().iter("testcase"):
        stem = case.attrib["classname"].removesuffix(".ipynb").rpartition(".")[2]
        cells = ended.setdefault(stem, {})
        for child in case:
            if child.tag != "system-out":
                cells[child.tag] = cells.get(child.tag, "") + (child.text or "")
    return ended


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handed in")
    for name, case in CASES.items():
        nbformat.write(case.notebook(), folder / f"{name}.ipynb")
    return folder


@pytest.fixture(scope="module")
def outcomes(handed_in: Path) -> Outcomes:
    """All of them in one run of pytest: its start costs more than most of them."""
    return nbval(handed_in, f"--nbval-cell-timeout={CELL_SECONDS}")


@pytest.mark.parametrize("name", CASES)
def test_nbval_says(name: str, outcomes: Outcomes) -> None:
    case, ended = CASES[name], outcomes[name]
    assert (not ended) == case.passes, ended
    assert case.says in ended.get("failure", "")


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("fools_it")])
def test_what_fools_nbval_does_not_fool_a_check_of_the_file(name: str, handed_in: Path) -> None:
    assert check_file("ring_step", handed_in / f"{name}.ipynb").verdict == "failed"


def test_a_kernel_that_ends_itself_does_not_pass(tmp_path: Path) -> None:
    """nbval waits for the cell's whole time, and the cells after it are not run: no pass."""
    nbformat.write(lesson(f"import os\n\n{WRONG}\n\nos._exit(0)\n"), tmp_path / "died.ipynb")
    assert "failure" in nbval(tmp_path, "--nbval-cell-timeout=4")["died"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (expected_to_raise, "marked NBVAL_RAISES_EXCEPTION"),
        (swallowed, "is changed"),
        (in_a_dead_branch, "is changed"),
        (as_markdown, "bring the cell"),
    ],
)
def test_a_check_that_can_not_fail_is_told_apart(
    tmp_path: Path, change: Callable[[Any], None], says: str
) -> None:
    nbformat.write(with_check(change), tmp_path / "spoiled.ipynb")
    assert says in missing_checks(tmp_path / "spoiled.ipynb")["ring_step"]


def test_an_intact_notebook_gets_no_further_test() -> None:
    for folder in ("notebooks", "solutions"):
        for path in (ROOT / folder).glob("*.ipynb"):
            assert missing_checks(path) == {}, path


@pytest.mark.parametrize("lost", ["metadata", "cell metadata", "both"])
def test_a_lost_check_is_missed_without_metadata_too(tmp_path: Path, lost: str) -> None:
    notebook = without_check(lesson(WRONG))
    if lost in ("metadata", "both"):
        del notebook.metadata["ringlab"]
    if lost in ("cell metadata", "both"):
        for cell in notebook.cells:
            cell.metadata = {}
    path = tmp_path / "03_ring_on_paper (2).ipynb"
    nbformat.write(notebook, path)
    assert list(missing_checks(path)) == ["ring_step"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [1, {}]}', "[" * 9999])
def test_what_is_no_notebook_is_left_to_nbval(tmp_path: Path, text: str) -> None:
    path = tmp_path / "03_ring_on_paper.ipynb"
    path.write_text(text)
    assert set(missing_checks(path)) <= {"ring_step"}
    assert missing_checks(tmp_path / "none.ipynb") == {}


def test_a_notebook_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell("1 + 1")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "scratch.ipynb")
    assert missing_checks(tmp_path / "scratch.ipynb") == {}
