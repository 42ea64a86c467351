"""A learner's code inside the pristine notebook of a lesson, run from top to bottom by nbval.

What the learner handed in may have lost cells, gained some, or been run in any order. Here their
answers stand in the place of the TODO cells of the lesson as it is, in a fresh folder. What comes
of it is a note beside the points: the points are the judge's.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ringlab.gradebook.store import NotebookRun
from ringlab.grading.submission import NoAnswer, UnreadableSubmission, answer_in, read_submission
from ringlab.plain import plain
from ringlab.words import gradebook as words

ROOT = Path(__file__).resolve().parents[2]
CELL_SECONDS = 150  # a check takes at most 120
NOTEBOOK_SECONDS = 600.0
OUTPUT_BYTES = 64 * 1024


def run_notebook(
    path: Path,
    lesson: int,
    exercises: Sequence[str],
    accepted: Sequence[str],
    hidden: Sequence[str] = (),
) -> NotebookRun:
    """Put the answers of a file into the lesson's notebook and run it.

    exercises: those that the file is to hold; the checks of the lesson's others are not counted.
    accepted: those of them whose answers may be run; where another's belongs, the TODO stays.
    hidden: paths that the notebook must not see.
    """
    pristine = next((ROOT / "notebooks").glob(f"{lesson:02d}_*.ipynb"), None)
    if pristine is None:
        return NotebookRun(lesson, "not run", words.NO_NOTEBOOK.format(lesson=lesson), 0.0)
    try:
        book, ignored = _filled(pristine, path, exercises, accepted)
    except UnreadableSubmission as error:
        return NotebookRun(lesson, "not run", str(error), 0.0)
    with tempfile.TemporaryDirectory(
        prefix="ringlab-notebook-", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        (folder / pristine.name).write_text(json.dumps(book), "utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n")
        ended = _pytest(folder, pristine.name, hidden)
        return _outcome(lesson, folder / "report.xml", book, ignored, ended)


def _filled(
    pristine: Path, path: Path, exercises: Sequence[str], accepted: Sequence[str]
) -> tuple[dict[str, Any], frozenset[int]]:
    """The notebook with the learner's answers in it, and the numbers of the cells not to count."""
    submission = read_submission(path)
    book: dict[str, Any] = json.loads(pristine.read_text("utf-8"))
    ignored = set()
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code):
        own = cell["metadata"].get("ringlab", {})
        exercise, part = own.get("exercise"), own.get("part")
        if part == "check" and exercise not in exercises:
            ignored.add(number)
        if part == "answer" and exercise in accepted:
            with contextlib.suppress(NoAnswer):
                cell["source"] = answer_in(submission, exercise).source
    return book, frozenset(ignored)


def _pytest(folder: Path, notebook: str, hidden: Sequence[str]) -> bool:
    """Run it; whether it ended by itself. Nothing of it is left afterwards."""
    command = [
        *(sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", notebook),
        f"--nbval-cell-timeout={CELL_SECONDS}",
        *("-c", "pytest.ini", "-p", "no:cacheprovider", "-p", "no:xdist", "-q"),
        "--junitxml=report.xml",
    ]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(folder),
        # Kernels write connection files, IPython a history: into the folder that goes away.
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    process = subprocess.Popen(
        _in_sandbox(command, folder, hidden, environment),
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_die_with_parent,
    )
    try:
        process.wait(NOTEBOOK_SECONDS)
        return True
    except subprocess.TimeoutExpired:
        return False
    finally:
        from ringlab.world.supervisor import kill_tree

        kill_tree(process.pid)


def _in_sandbox(
    command: list[str], folder: Path, hidden: Sequence[str], environment: dict[str, str]
) -> list[str]:
    from ringlab.world import sandbox

    return sandbox.command(
        command,
        writable=[folder],
        hidden=[Path(each) for each in hidden],
        cwd=folder,
        environment=environment,
    )


def _die_with_parent() -> None:
    from ringlab.world.supervisor import PR_SET_PDEATHSIG, prctl

    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _outcome(
    lesson: int, report: Path, book: dict[str, Any], ignored: frozenset[int], ended: bool
) -> NotebookRun:
    """The first cell that did not run, out of what pytest wrote down."""
    code = [i for i, cell in enumerate(book["cells"], 1) if cell["cell_type"] == "code"]
    if not ended:
        text = words.NOTEBOOK_TOO_LONG.format(minutes=NOTEBOOK_SECONDS / 60)
        return NotebookRun(lesson, "stops", text, 0.0)
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        if len(cases) != len(code):
            raise ValueError
    except (OSError, ElementTree.ParseError, ValueError):
        return NotebookRun(lesson, "not run", words.NBVAL_BROKE, 0.0)
    for case in cases:
        number = int(case.attrib["name"].split()[-1])
        kinds = {child.tag: child for child in case}
        if number in ignored or not kinds.keys() & {"failure", "error", "skipped"}:
            continue
        child = next(iter(kinds.values()))
        source = "".join(book["cells"][code[number] - 1]["source"]).strip()
        first = plain(source.partition("\n")[0], 80)
        cell = code[number]
        text = words.NOTEBOOK_STOPS.format(cell=cell, line=first, why=_why(child))
        return NotebookRun(lesson, "stops", text, 0.0, cell)
    return NotebookRun(lesson, "runs", "", 0.0)


def _why(child: ElementTree.Element) -> str:
    """The last line of a cell's traceback that says something."""
    text = child.text or child.attrib.get("message", "")
    lines = [line.strip() for line in _plain_lines(text) if line.strip()]
    told = [line for line in lines if not line.startswith(("|", "-", "=", "#"))]
    return plain((told or lines or [""])[-1], 200)


def _plain_lines(text: str) -> list[str]:
    return re.sub(r"(?:\x1b|#x1B)\[[0-9;]*m", "", text).split("\n")
