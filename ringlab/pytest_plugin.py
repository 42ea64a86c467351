"""`pytest --nbval-lax` on a learner's notebook also asks whether all of its checks are there.

nbval runs the cells that it finds. A check that was deleted, or marked to be skipped, can't fail,
and a notebook without checks would look like one that passes. pytest loads this plugin wherever
the course is installed. An intact notebook gets no further test from it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ringlab.words import release as words
from ringlab.work import ROOT

_MARKS = ("nbval-skip", "nbval-raises-exception", "raises-exception")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    options = parent.config.option
    uses_nbval = getattr(options, "nbval", False) or getattr(options, "nbval_lax", False)
    if not uses_nbval or file_path.suffix != ".ipynb" or not missing_checks(file_path):
        return None
    return _Checks.from_parent(parent, path=file_path)


class _Checks(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        for exercise, sentence in missing_checks(self.path).items():
            yield _Missing.from_parent(self, name=f"check of {exercise}", sentence=sentence)


class _Missing(pytest.Item):
    def __init__(self, sentence: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.sentence = sentence

    def runtest(self) -> None:
        raise _CheckMissing(self.sentence)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        return str(excinfo.value)


class _CheckMissing(Exception):
    """A notebook lost one of its checks."""


def missing_checks(path: Path, root: Path = ROOT) -> dict[str, str]:
    """For each exercise of the lesson whose check can't fail in this notebook, why, in a sentence.

    Empty for an intact notebook, and for one that is no copy of a lesson or can't be read.
    """
    notebook = _read(path)
    found = {}
    for exercise in _asked(notebook, path, root):
        sentence = _fault(exercise, notebook["cells"])
        if sentence:
            found[exercise] = sentence
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        notebook = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {"cells": []}
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return {"cells": []}
    return dict(notebook, cells=[cell for cell in cells if isinstance(cell, dict)])


def _asked(notebook: dict[str, Any], path: Path, root: Path) -> list[str]:
    """The exercises of the lesson that this is a copy of, told by its metadata, else its name."""
    number = _ours(notebook).get("lesson")
    for original in sorted((root / "notebooks").glob("*.ipynb")):
        if number is None and not path.name.startswith(original.stem):
            continue
        lesson = _read(original)
        if number in (None, _ours(lesson).get("lesson")):
            parts = [_ours(cell) for cell in lesson["cells"]]
            return [str(part["exercise"]) for part in parts if part.get("part") == "check"]
    return []


def _ours(holder: dict[str, Any]) -> dict[str, Any]:
    """The course's own metadata of a notebook or cell."""
    metadata = holder.get("metadata")
    ours = metadata.get("ringlab") if isinstance(metadata, dict) else None
    return ours if isinstance(ours, dict) else {}


def _fault(exercise: str, cells: list[dict[str, Any]]) -> str:
    """Why the check of this exercise can't fail; empty if it can."""
    check = f"lab.check({exercise})"
    sentence = words.CHECK_MISSING.format(exercise=exercise, check=check)
    for cell in cells:
        if cell.get("cell_type") != "code":
            continue
        source = _source(cell)
        if _is_check(source, exercise):
            mark = _mark(cell, source)
            if not mark:
                return ""
            sentence = words.CHECK_MARKED.format(exercise=exercise, mark=mark)
        elif re.search(rf"\bcheck\s*\(\s*{exercise}\b", source):
            sentence = words.CHECK_CHANGED.format(exercise=exercise, check=check)
    return sentence


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _is_check(source: str, exercise: str) -> bool:
    """Whether the cell calls `check` on the exercise and does nothing else.

    A magic is something else: an unknown one ends the cell before its check, without an error.
    """
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return False
    argument, function = call.args[0], call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "check" and isinstance(argument, ast.Name) and argument.id == exercise


def _mark(cell: dict[str, Any], source: str) -> str:
    """What makes nbval pass over the cell, or over its error."""
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    comments = re.findall(r"^\s*#[#\s]*(\w+)\s*$", source, re.MULTILINE)
    marks = [*(tags if isinstance(tags, list) else ()), *comments]
    return next((str(mark) for mark in marks if _as_tag(mark) in _MARKS), "")


def _as_tag(mark: object) -> str:
    return str(mark).lower().replace("_", "-")
