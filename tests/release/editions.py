"""What the tests of this folder share: environments on loan, and notebooks with answers in them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parents[2]
# What nbgrader needs beside what the course has.
NBGRADER = ("nbgrader", "alembic", "mako", "notebook", "rapidfuzz", "sqlalchemy")
ANSWER_PARTS = ("### BEGIN SOLUTION", "### END SOLUTION")


def lend_environment(folder: Path) -> None:
    """Let `./course` find this interpreter's packages instead of installing them anew.

    The course's own files are those of the folder: its `.venv` has a Python that looks there first,
    and the stamp that says that nothing is to be installed.
    """
    spec = importlib.util.spec_from_file_location(
        f"bootstrap_{os.getpid()}", folder / "ringlab" / "bootstrap.py"
    )
    assert spec is not None and spec.loader is not None
    bootstrap = importlib.util.module_from_spec(spec)
    kept = list(sys.path)
    spec.loader.exec_module(bootstrap)
    sys.path[:] = kept
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (folder / ".venv" / "ringlab-stamp").write_text(f"{bootstrap.fingerprint()} 3 {folder}\n")


def course(folder: Path, *arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """`./course ...` in that folder, as a person calls it."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        ["sh", str(folder / "course"), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
    )


def answered(name: str, **answers: str) -> Any:
    """A copy of a lesson with these answers in it."""
    (path,) = (ROOT / "notebooks").glob(f"{name}*.ipynb")
    notebook = nbformat.read(path, as_version=4)
    for exercise, source in answers.items():
        cell_of(notebook, exercise, "answer").source = source
    return notebook


def reference(exercise: str) -> str:
    """The reference answer as a learner would have written it."""
    lines = (ROOT / "solutions" / f"{exercise}.py").read_text().splitlines()
    return "\n".join(line for line in lines if line.strip() not in ANSWER_PARTS)


def cell_of(notebook: Any, exercise: str, part: str) -> Any:
    wanted = {"exercise": exercise, "part": part}
    (cell,) = [cell for cell in notebook.cells if cell.metadata.get("ringlab") == wanted]
    return cell


def keep(notebook: Any, wanted: Callable[[Any], bool]) -> Any:
    notebook.cells = [cell for cell in notebook.cells if wanted(cell)]
    return notebook


def only_exercises(notebook: Any) -> Any:
    """Without the lesson around them: the import, the answers, the checks."""
    return keep(
        notebook,
        lambda cell: (
            "import ringlab as lab" in cell.source
            or cell.metadata.get("ringlab", {}).get("part") in ("answer", "check")
        ),
    )
