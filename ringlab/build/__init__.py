"""Builds what learners open from what authors write.

    lessons/NN_name.md  +  solutions/<id>.py  +  the catalog
        -> notebooks/NN_name.ipynb   exercises unsolved, demo outputs stored
        -> solutions/NN_name.ipynb   solved and executed
        -> exercises/<id>.py         one exercise, for an editor
    docs/player.svg is drawn here too.

A lesson is MyST Markdown. A code cell that uses the learner's answer carries the tag
`needs-answer`: in the unsolved notebook it stores no output, and it must not fail there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ringlab.build.lesson import ROOT, BuildError, Lesson, lessons
from ringlab.build.notebook import Catalog, assemble, catalog, exercise_file, keeps_output
from ringlab.build.run import copy_outputs, execute, store_still
from ringlab.words import cli as words

__all__ = ["BuildError", "build", "other_files", "write"]


def build(
    wanted: Sequence[str] = (),
    run: bool = True,
    root: Path = ROOT,
    entries: Catalog = catalog,
    say: Callable[[str], None] = print,
) -> None:
    """Build the lessons named, or everything. Raises BuildError; each file is written whole."""
    for lesson in lessons(root, wanted):
        started = time.perf_counter()
        for path, text in _notebooks(lesson, run, root, entries):
            changed = write(path, text)
            line = words.BUILT if changed else words.UNCHANGED
            seconds = time.perf_counter() - started
            say(line.format(path=path.relative_to(root), seconds=seconds))
    for path, text in other_files(root, entries):
        write(path, text)


def _notebooks(lesson: Lesson, run: bool, root: Path, entries: Catalog) -> list[tuple[Path, str]]:
    import nbformat

    solved_path = root / "solutions" / f"{lesson.name}.ipynb"
    unsolved_path = root / "notebooks" / f"{lesson.name}.ipynb"
    solved = assemble(lesson, True, root, entries)
    open_one = assemble(lesson, False, root, entries)
    if run:
        execute(solved, lesson, root)
    elif solved_path.exists():
        copy_outputs(nbformat.read(solved_path, as_version=4), solved, lambda cell: True)
    store_still(solved)
    copy_outputs(solved, open_one, keeps_output)
    return [(solved_path, dump(solved)), (unsolved_path, dump(open_one))]


def other_files(root: Path, entries: Catalog) -> Iterator[tuple[Path, str]]:
    for path in sorted((root / "solutions").glob("*.py")):
        yield root / "exercises" / path.name, exercise_file(path, entries)
    yield root / "docs" / "player.svg", player_picture()


def write(path: Path, text: str) -> bool:
    """Write the file whole or not at all; False if it already says this."""
    if path.exists() and path.read_bytes() == text.encode():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(text.encode())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return True


def dump(notebook: Any) -> str:
    import nbformat

    nbformat.validate(notebook)
    return str(nbformat.writes(notebook, version=4)).rstrip("\n") + "\n"


def player_picture() -> str:
    """The README's picture: the ring of four in its third step."""
    from ringlab.algorithms import get
    from ringlab.schedule import simulate
    from ringlab.view.picture import draw

    return str(draw(simulate(get("ring")(4)), 2)).rstrip("\n") + "\n"
