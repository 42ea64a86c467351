"""Puts a lesson's notebook together, unsolved or solved, without outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from ringlab.build.lesson import NEEDS_ANSWER, ROOT, BuildError, Lesson, unsolved
from ringlab.words import cli as words


class Exercise(Protocol):
    """What a build needs to know of an exercise."""

    @property
    def id(self) -> str: ...
    @property
    def lesson(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def hints(self) -> tuple[str, ...]: ...


Catalog = Callable[[str], Exercise]


def catalog(exercise_id: str) -> Exercise:
    """The exercise of that name; raises LookupError."""
    from ringlab.catalog import get

    return get(exercise_id)


def assemble(lesson: Lesson, solved: bool, root: Path = ROOT, entries: Catalog = catalog) -> Any:
    """The lesson's notebook without outputs."""
    import nbformat

    notebook = nbformat.v4.new_notebook()
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "ringlab": {"lesson": lesson.number, "solved": solved},
        }
    )
    for block in lesson.cells:
        if block.kind == "exercise":
            notebook.cells.extend(_exercise_cells(lesson, block.source, solved, root, entries))
        else:
            metadata: dict[str, Any] = {"tags": list(block.tags)} if block.tags else {}
            if block.source.startswith(_QUESTION):
                # The code of a question holds its answer.
                metadata["jupyter"] = {"source_hidden": True}
            notebook.cells.append(_cell(block.kind, block.source, metadata))
    _give_ids(notebook.cells)
    return notebook


_QUESTION = "lab.predict("


def _cell(kind: str, source: str, metadata: dict[str, Any], cell_id: str = "") -> Any:
    import nbformat

    make: Any = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
    return make(source=source, metadata=metadata, id=cell_id or "to-be-named")


def _exercise_cells(
    lesson: Lesson, exercise_id: str, solved: bool, root: Path, entries: Catalog
) -> list[Any]:
    solution = root / "solutions" / f"{exercise_id}.py"
    if not solution.exists():
        raise BuildError(
            words.NO_SOLUTION.format(
                lesson=lesson.path.name, exercise=exercise_id, path=f"solutions/{solution.name}"
            )
        )
    try:
        exercise = entries(exercise_id)
    except LookupError:
        raise BuildError(
            words.NOT_IN_CATALOG.format(lesson=lesson.path.name, exercise=exercise_id)
        ) from None
    answer = solution.read_text("utf-8")
    if not solved:
        answer = unsolved(answer, exercise_id, Path("solutions") / solution.name)
    prompt = words.PROMPT.format(
        title=exercise.title,
        task=exercise.task.strip(),
        exercise=exercise_id,
        points=exercise.points,
    )
    hints = "\n\n".join(
        words.HINT.format(number=number, hint=hint.strip())
        for number, hint in enumerate(exercise.hints, 1)
    )
    hints = words.HINTS.format(hints=hints, notebook=f"{lesson.name}.ipynb").strip()

    def part(name: str, kind: str, source: str, **metadata: Any) -> Any:
        metadata["ringlab"] = {"exercise": exercise_id, "part": name}
        return _cell(kind, source, metadata, f"{exercise_id}-{name}"[:64])

    return [
        part("task", "markdown", prompt),
        part(
            "answer",
            "code",
            answer.rstrip("\n"),
            deletable=False,
            nbgrader=_nbgrader(exercise_id, solution=True),
        ),
        part(
            "check",
            "code",
            f"lab.check({exercise_id})",
            deletable=False,
            editable=False,
            nbgrader=_nbgrader(f"{exercise_id}-check", points=exercise.points),
        ),
        part("hints", "markdown", hints),
    ]


def _nbgrader(grade_id: str, solution: bool = False, points: int | None = None) -> dict[str, Any]:
    """Cell metadata of nbgrader's schema 3: an answer is a solution, a check is graded."""
    metadata: dict[str, Any] = {
        "cell_type": "code",
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        metadata["points"] = points
    return metadata


def _give_ids(cells: Sequence[Any]) -> None:
    """Ids that depend on what a cell says, so that a new cell changes no other's id."""
    seen: dict[str, int] = {}
    for cell in cells:
        if "ringlab" in cell.metadata:
            continue
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _part(cell: Any) -> str:
    return str(cell.metadata.get("ringlab", {}).get("part", ""))


def keeps_output(cell: Any) -> bool:
    """Whether an unsolved notebook stores this cell's output: it doesn't depend on an answer."""
    return (
        cell.cell_type == "code"
        and not _part(cell)
        and NEEDS_ANSWER not in cell.metadata.get("tags", ())
    )


def exercise_file(path: Path, entries: Catalog = catalog) -> str:
    """The TODO file of solutions/<id>.py."""
    try:
        exercise = entries(path.stem)
    except LookupError:
        raise BuildError(
            words.NOT_IN_CATALOG.format(lesson=f"solutions/{path.name}", exercise=path.stem)
        ) from None
    header = words.TODO_HEADER.format(
        lesson=exercise.lesson, exercise=path.stem, title=exercise.title.rstrip(".")
    )
    return header + unsolved(path.read_text("utf-8"), path.stem, Path("solutions") / path.name)
