"""Finds what is committed and would be built differently, outputs aside."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from ringlab.build import dump, other_files
from ringlab.build.lesson import ROOT, lessons
from ringlab.build.notebook import Catalog, assemble, catalog, keeps_output
from ringlab.words import cli as words

_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def differences(root: Path = ROOT, entries: Catalog = catalog) -> tuple[list[str], int]:
    """Sentences on what would be built differently, and how many files were looked at."""
    found: list[str] = []
    expected: set[Path] = set()
    for lesson in lessons(root):
        for folder, solved in (("notebooks", False), ("solutions", True)):
            path = root / folder / f"{lesson.name}.ipynb"
            expected.add(path)
            found += _notebook_differences(path, assemble(lesson, solved, root, entries), root)
    for path, text in other_files(root, entries):
        expected.add(path)
        found += _text_differences(path, text, root)
    for pattern in ("notebooks/*.ipynb", "solutions/*.ipynb", "exercises/*.py"):
        for path in sorted(set(root.glob(pattern)) - expected):
            found.append(words.LEFTOVER.format(path=path.relative_to(root)))
    return found, len(expected)


def _text_differences(path: Path, text: str, root: Path) -> list[str]:
    name = path.relative_to(root)
    if not path.exists():
        return [words.MISSING.format(path=name)]
    ours, theirs = text.splitlines(), path.read_text("utf-8").splitlines()
    for number in range(max(len(ours), len(theirs))):
        expected = ours[number] if number < len(ours) else None
        found = theirs[number] if number < len(theirs) else None
        if expected != found:
            where = f"line {number + 1}"
            return [_differs(name, where, found, expected)]
    return []


def _differs(name: Path, where: str, found: Any, expected: Any) -> str:
    shown = [
        words.NOTHING if value is None else textwrap.shorten(repr(value), 160)
        for value in (found, expected)
    ]
    return words.DIFFERS.format(path=name, where=where, found=shown[0], expected=shown[1])


def _notebook_differences(path: Path, expected: Any, root: Path) -> list[str]:
    import nbformat

    name = path.relative_to(root)
    if not path.exists():
        return [words.MISSING.format(path=name)]
    text = path.read_text("utf-8")
    try:
        committed = nbformat.reads(text, as_version=4)
    except (ValueError, AttributeError, nbformat.ValidationError) as error:
        return [words.NO_NOTEBOOK.format(path=name, reason=error)]
    if _WIDGET_VIEW in text or "widgets" in committed.metadata:
        return [words.WIDGET_LEFT.format(path=name)]
    if text != dump(committed):
        return [words.NOT_CANONICAL.format(path=name)]
    if not expected.metadata.ringlab.solved:
        for index, cell in enumerate(committed.cells):
            if cell.get("outputs") and not keeps_output(cell):
                return [words.STALE_OUTPUT.format(path=name, cell=index)]
    for cell in committed.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    difference = _first_difference(committed, expected)
    if difference is None:
        return []
    where, found, wanted = difference
    return [_differs(name, where, found, wanted)]


def _first_difference(committed: Any, expected: Any) -> tuple[str, Any, Any] | None:
    for index, (ours, theirs) in enumerate(zip(expected.cells, committed.cells, strict=False)):
        where = f"cell {index}"
        for key in ("cell_type", "source", "metadata", "id"):
            if ours[key] == theirs[key]:
                continue
            if key != "source":
                return f"{where}, {key}", theirs[key], ours[key]
            lines = ours.source.splitlines(), theirs.source.splitlines()
            for number in range(max(map(len, lines))):
                wanted, found = (part[number] if number < len(part) else None for part in lines)
                if wanted != found:
                    return f"{where}, line {number + 1}", found, wanted
    if len(committed.cells) != len(expected.cells):
        return "number of cells", len(committed.cells), len(expected.cells)
    for key in ("metadata", "nbformat", "nbformat_minor"):
        if committed[key] != expected[key]:
            return key, committed[key], expected[key]
    return None
