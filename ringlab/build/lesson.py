"""Reads a lesson's Markdown and a solution's source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringlab.words import cli as words

ROOT = Path(__file__).resolve().parents[2]
NEEDS_ANSWER = "needs-answer"

_LESSON_NAME = re.compile(r"(\d\d)_[a-z0-9_]+")
_EXERCISE_LINE = re.compile(r"^```\{exercise\}[ \t]+(\w+)[ \t]*\n```[ \t]*$", re.MULTILINE)
_EXERCISE_TAG = "ringlab-exercise"
_BEGIN, _END = "### BEGIN SOLUTION", "### END SOLUTION"


class BuildError(Exception):
    """What is wrong with the sources, in one sentence."""


@dataclass(frozen=True)
class Lesson:
    """A lesson as parsed: its cells in order, an exercise as a cell of kind "exercise"."""

    path: Path
    number: int
    cells: tuple[Block, ...]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def exercises(self) -> tuple[str, ...]:
        return tuple(cell.source for cell in self.cells if cell.kind == "exercise")


@dataclass(frozen=True)
class Block:
    kind: str  # "markdown", "code" or "exercise"
    source: str  # for an exercise its id
    tags: tuple[str, ...] = ()


def read_lesson(path: Path) -> Lesson:
    """Parse a lesson. Raises BuildError when its name or one of its cells breaks a rule."""
    import jupytext

    name = _LESSON_NAME.fullmatch(path.stem)
    if name is None:
        raise BuildError(words.BAD_NAME.format(path=path.name))
    text = _EXERCISE_LINE.sub(
        rf"```{{code-cell}} python\n:tags: [{_EXERCISE_TAG}]\n\n\1\n```", path.read_text("utf-8")
    )
    notebook = jupytext.reads(text, fmt="md:myst")
    lesson = Lesson(path, int(name[1]), tuple(_blocks(notebook.cells)))
    _refuse_untagged(lesson)
    return lesson


def _blocks(cells: Sequence[Any]) -> Iterator[Block]:
    for cell in cells:
        tags = tuple(cell.metadata.get("tags", ()))
        if _EXERCISE_TAG in tags:
            yield Block("exercise", cell.source.strip())
        elif cell.source.strip():
            yield Block(cell.cell_type, cell.source.strip("\n"), tags)


def _refuse_untagged(lesson: Lesson) -> None:
    """An output that depends on the answer must not be stored in the unsolved notebook."""
    asked: set[str] = set()
    for cell in lesson.cells:
        if cell.kind == "exercise":
            asked.add(cell.source)
        elif cell.kind == "code" and NEEDS_ANSWER not in cell.tags:
            used = asked & _names(cell.source)
            if used:
                raise BuildError(
                    words.UNTAGGED.format(
                        lesson=lesson.path.name,
                        exercise=", ".join(sorted(used)),
                        line=cell.source.splitlines()[0],
                    )
                )


def _names(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()  # a cell with magics
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def unsolved(solution: str, exercise_id: str, path: Path) -> str:
    """The solution's source with each part between the markers replaced by a TODO.

    Inside a function the TODO raises NotImplementedError; at the top level, where a raise would
    break the cell itself, it is only the comment.
    """
    lines: list[str] = []
    inside = found = False
    for line in solution.splitlines():
        text = line.strip()
        if text == _BEGIN:
            if inside:
                raise BuildError(words.NO_MARKERS.format(path=path))
            inside = found = True
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(indent + words.TODO_COMMENT)
            if indent:
                message = words.TODO_ERROR.format(exercise=exercise_id)
                lines.append(f'{indent}raise NotImplementedError("{message}")')
        elif text == _END:
            if not inside:
                raise BuildError(words.NO_MARKERS.format(path=path))
            inside = False
        elif not inside:
            lines.append(line)
    if inside or not found:
        raise BuildError(words.NO_MARKERS.format(path=path))
    return "\n".join(lines).rstrip("\n") + "\n"


def lessons(root: Path = ROOT, wanted: Sequence[str] = ()) -> list[Lesson]:
    """The lessons in order; of `wanted` ("04" or "04_the_ring") only those. Raises BuildError."""
    paths = sorted((root / "lessons").glob("*.md"))
    if wanted:
        known = ", ".join(path.stem for path in paths)
        chosen = []
        for name in wanted:
            hits = [
                p
                for p in paths
                if name in (p.stem, p.stem[:2], p.stem[:2].lstrip("0") or "0", p.name)
            ]
            if not hits:
                raise BuildError(words.NO_LESSON.format(name=name, known=known))
            chosen += hits
        paths = sorted(set(chosen))
    found = [read_lesson(path) for path in paths]
    first: dict[str, str] = {}
    for lesson in found:
        for exercise in lesson.exercises:
            if exercise in first:
                raise BuildError(
                    words.ASKED_TWICE.format(
                        exercise=exercise, first=first[exercise], second=lesson.path.name
                    )
                )
            first[exercise] = lesson.path.name
    return found
