"""Every solved notebook runs; every unsolved one fails at its check cells and nowhere else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
CELL_SECONDS = 90
SOLVED = sorted((ROOT / "solutions").glob("*.ipynb"))
UNSOLVED = sorted((ROOT / "notebooks").glob("*.ipynb"))


def nbval(notebook: Path, folder: Path) -> tuple[dict[int, str], str]:
    """Run a copy under `pytest --nbval-lax`: what became of each code cell, and all that was said.

    A cell is "passed", "failed" or "skipped"; its number counts code cells from 0, as nbval does.
    """
    copy = folder / notebook.name
    shutil.copyfile(notebook, copy)
    (folder / "pytest.ini").write_text("[pytest]\n")
    report = folder / "report.xml"
    command = [
        *(sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", copy.name),
        f"--nbval-cell-timeout={CELL_SECONDS}",
        f"--nbval-sanitize-with={Path(__file__).parent / 'sanitize.cfg'}",
        *("-c", "pytest.ini", "-p", "no:cacheprovider", "-p", "no:xdist"),
        f"--junitxml={report.name}",
    ]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        command,
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=path),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    outcomes = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        number = int(case.attrib["name"].split()[-1])
        kinds = {child.tag for child in case}
        failed = kinds & {"failure", "error"}
        outcomes[number] = "failed" if failed else "skipped" if "skipped" in kinds else "passed"
    return outcomes, done.stdout + done.stderr


def code_cells(notebook: Path) -> list[dict[str, object]]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def check_cells(notebook: Path) -> set[int]:
    return {
        number
        for number, cell in enumerate(code_cells(notebook))
        if cell["metadata"].get("ringlab", {}).get("part") == "check"  # type: ignore[attr-defined]
    }


@pytest.mark.parametrize("notebook", SOLVED, ids=lambda path: path.stem)
def test_a_solved_notebook_runs_top_to_bottom(notebook: Path, tmp_path: Path) -> None:
    outcomes, said = nbval(notebook, tmp_path)
    assert len(outcomes) == len(code_cells(notebook))
    assert set(outcomes.values()) <= {"passed"}, said[-6000:]


@pytest.mark.parametrize("notebook", UNSOLVED, ids=lambda path: path.stem)
def test_an_unsolved_notebook_fails_at_its_checks_and_nowhere_else(
    notebook: Path, tmp_path: Path
) -> None:
    outcomes, said = nbval(notebook, tmp_path)
    assert len(outcomes) == len(code_cells(notebook))
    failed = {number for number, outcome in outcomes.items() if outcome == "failed"}
    assert failed == check_cells(notebook), said[-6000:]
    assert "skipped" not in outcomes.values(), said[-6000:]


def test_a_demo_that_fails_is_seen(tmp_path: Path) -> None:
    """The two tests above would be worth nothing if nbval let a failing cell pass."""
    cells = [nbformat.v4.new_code_cell(source) for source in ("1", "1 / 0", "2")]
    (tmp_path / "copy").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "demo.ipynb")
    outcomes, said = nbval(tmp_path / "demo.ipynb", tmp_path / "copy")
    assert outcomes == {0: "passed", 1: "failed", 2: "passed"}
    assert "ZeroDivisionError" in said


def test_every_lesson_has_both_notebooks() -> None:
    lessons = sorted(path.stem for path in (ROOT / "lessons").glob("*.md"))
    assert [path.stem for path in SOLVED] == lessons
    assert [path.stem for path in UNSOLVED] == lessons
