"""The lessons pass through nbgrader itself: its release version, its autograding, its points.

nbgrader brings menus of its own into JupyterLab, so it is no part of the course's environment. The
tests install it, in the versions that constraints.txt names, into a folder of pytest's cache.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from editions import (
    NBGRADER,
    ROOT,
    answered,
    cell_of,
    keep,
    only_exercises,
    reference,
)
from lending import pins
from packaging.requirements import Requirement

from ringlab.release import edition_for

WRONG = "def ring_step(rank, step, world_size):\n    return 0, 1\n"
TRICKS = {
    "no_traceback": "get_ipython().showtraceback = lambda *args, **kwargs: None",
    "check_patched": "lab.check = lambda answer: None",
    "cells_passed_over": (
        "get_ipython().input_transformers_post.append(lambda lines: ['pass\\n'])"
    ),
}
SCORES = """
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps({
        submission.student.id: {
            grade.name: [grade.auto_score, grade.max_score, bool(grade.needs_manual_grade)]
            for notebook in submission.notebooks for grade in notebook.grades
        }
        for submission in book.assignment_submissions("rings")
    }))
"""

Nbgrader = Callable[..., str]


@pytest.fixture
def nbgrader(nbgrader_home: Path, tmp_path: Path) -> Nbgrader:
    """Runs Python with nbgrader at hand, in the course's folder; what it printed."""
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join([str(nbgrader_home), str(ROOT)]),
        PATH=os.pathsep.join([str(nbgrader_home / "bin"), os.environ["PATH"]]),
        **own,
    )

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path / "course",
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    edition = edition_for("nbgrader")
    for path, entry in edition.items():
        place = tmp_path / "course" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(entry.data)
    return run


def test_its_release_version_is_what_learners_get(nbgrader: Nbgrader, tmp_path: Path) -> None:
    nbgrader("-m", "nbgrader", "generate_assignment", "*")
    made = sorted((tmp_path / "course" / "release").glob("*/*.ipynb"))
    with_exercises = [
        path.name
        for path in (ROOT / "notebooks").glob("*.ipynb")
        if exercises_of(nbformat.read(path, as_version=4))
    ]
    assert sorted(path.name for path in made) == sorted(with_exercises)
    for path in made:
        notebook = nbformat.read(path, as_version=4)
        ours = nbformat.read(ROOT / "notebooks" / path.name, as_version=4)
        for exercise in exercises_of(ours):
            answer, check = (cell_of(notebook, exercise, part) for part in ("answer", "check"))
            assert same_but_for_the_todo(answer.source, cell_of(ours, exercise, "answer").source)
            assert "SOLUTION" not in answer.source
            assert answer.metadata.get("editable", True) and not answer.metadata.deletable
            assert not check.metadata.editable and not check.metadata.deletable
            assert check.metadata.nbgrader.locked and check.metadata.nbgrader.points > 0
            assert check.source == f"lab.check({exercise})"


def exercises_of(notebook: Any) -> list[str]:
    parts = [cell.metadata.get("ringlab", {}) for cell in notebook.cells]
    return [part["exercise"] for part in parts if part.get("part") == "check"]


def same_but_for_the_todo(theirs: str, ours: str) -> bool:
    def plain(source: str) -> str:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise):
                node.exc = None
        return ast.dump(tree)

    return plain(theirs) == plain(ours)


def rings(solved: bool) -> Any:
    """Two exercises in one notebook: one in plain Python, one on real ranks."""
    (path,) = (ROOT / "solutions").glob("03*.ipynb")
    notebook = nbformat.read(path, as_version=4) if solved else answered("03")
    other = nbformat.read(ROOT / "solutions/00_start_here.ipynb", as_version=4)
    other = other if solved else answered("00")
    only_exercises(notebook).cells += only_exercises(other).cells[1:]
    return notebook


def handed_in(folder: Path, student: str, notebook: Any) -> None:
    place = folder / "submitted" / student / "rings"
    place.mkdir(parents=True)
    nbformat.write(notebook, place / "rings.ipynb")


def test_right_gets_the_points_and_wrong_gets_none(nbgrader: Nbgrader, tmp_path: Path) -> None:
    folder = tmp_path / "course"
    (folder / "source" / "rings").mkdir()
    nbformat.write(rings(solved=True), folder / "source" / "rings" / "rings.ipynb")
    nbgrader("-m", "nbgrader", "generate_assignment", "rings")

    right = rings(solved=False)
    for exercise in ("ring_step", "who_am_i"):
        cell_of(right, exercise, "answer").source = reference(exercise)
    handed_in(folder, "right", right)

    wrong = rings(solved=False)
    cell_of(wrong, "ring_step", "answer").source = WRONG
    handed_in(folder, "wrong_and_unwritten", wrong)

    spoiled = rings(solved=False)
    cell_of(spoiled, "ring_step", "answer").source = WRONG
    check = cell_of(spoiled, "ring_step", "check")
    check.source, check.metadata.nbgrader["points"] = "pass", 1000
    keep(spoiled, lambda cell: cell.source != "lab.check(who_am_i)")
    handed_in(folder, "check_edited_and_check_deleted", spoiled)

    for name, trick in TRICKS.items():
        tricked = rings(solved=False)
        cell = cell_of(tricked, "ring_step", "answer")
        cell.source = f"{trick}\n\n{WRONG}"
        handed_in(folder, name, tricked)

    nbgrader("-m", "nbgrader", "autograde", "rings")
    points = {
        f"{exercise}-check": cell_of(right, exercise, "check").metadata.nbgrader.points
        for exercise in ("ring_step", "who_am_i")
    }
    scores = json.loads(nbgrader("-c", SCORES).splitlines()[-1])
    full = {name: [most, most, False] for name, most in points.items()}
    none = {name: [0, most, False] for name, most in points.items()}
    # The last two fool it, as INSTRUCTORS.md says; ./course grade judges from outside the kernel.
    assert scores == {
        "right": full,
        "wrong_and_unwritten": none,
        "check_edited_and_check_deleted": none,
        "no_traceback": none,
        "check_patched": full,
        "cells_passed_over": full,
    }
    graded = nbformat.read(folder / "autograded/right/rings/rings.ipynb", as_version=4)
    names = [output.get("name") for cell in graded.cells for output in cell.get("outputs", ())]
    assert "stderr" not in names, "nbgrader takes a word on stderr for a failure"


def test_its_versions_are_pinned_and_no_learner_gets_it() -> None:
    assert set(pins(*NBGRADER)) == set(NBGRADER)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (extra,) = map(Requirement, project["optional-dependencies"]["nbgrader"])
    (pin,) = pins(*NBGRADER)["nbgrader"].specifier
    assert extra.name == "nbgrader" and extra.specifier.contains(pin.version)
    others = project["dependencies"] + project["optional-dependencies"]["test"]
    assert not {Requirement(text).name for text in others} & set(NBGRADER)


@pytest.mark.parametrize("path", sorted((ROOT / "solutions").glob("*.py")), ids=lambda p: p.stem)
def test_what_it_takes_out_lies_inside_the_function(path: Path) -> None:
    """nbgrader puts a `raise` in the place of each region; outside it would end the cell."""
    lines = path.read_text().splitlines()
    starts = [line for line in lines if line.strip() == "### BEGIN SOLUTION"]
    assert starts == ["    ### BEGIN SOLUTION"]
