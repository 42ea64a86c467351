"""Which layer refuses each known-wrong answer, and in what words: writes TABLE.md.

The tests keep what was said to each answer; run them first, then this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ringlab import catalog
from ringlab.grading.verdict import Report

HERE = Path(__file__).parent
TABLE = HERE / "TABLE.md"
KEPT = HERE.parents[1] / ".pytest_cache" / "d" / "answers"
MOST_CHARACTERS = 220
HEAD = """\
# Known answers, and what the judge says to them

Written by `python tests/answers/answer_table.py` from what the tests of the last run kept. Of a
wrong answer's findings the first of the layer that must refuse it is shown.
"""


def answers(exercise_id: str, kind: str) -> list[Path]:
    return sorted((HERE / exercise_id / kind).glob("*.py"))


def expected_layer(path: Path) -> str:
    """The layer that a wrong answer names in its first lines."""
    lines = path.read_text(errors="replace").splitlines()
    return next(line for line in lines if line.startswith("# layer:")).partition(":")[2].strip()


def keep(path: Path, report: Report, folder: Path) -> None:
    """Keep what was said to an answer, for the table."""
    said = [each.message for each in report.failures]
    if path.parent.name == "wrong":
        layer = expected_layer(path)
        said = [each.message for each in report.failures if each.layer == layer]
    (folder / f"{path.parents[1].name}.{path.stem}").write_text(said[0] if said else "")


def what_was_said(path: Path) -> str:
    return (KEPT / f"{path.parents[1].name}.{path.stem}").read_text()


def row(name: str, layer: str, words: str) -> str:
    said = " ".join(words.split()).replace("|", "\\|").replace("<", "&lt;")
    said = re.sub(r"(/[\w.-]+){2,}", "/…", said)  # paths of the machine
    if len(said) > MOST_CHARACTERS:
        said = said[:MOST_CHARACTERS].rstrip() + " …"
    return f"| {name} | {layer} | {said} |"


def named() -> list[tuple[str, str, str]]:
    """(exercise, answer, layer) of all that must stand in the table."""
    found = []
    for exercise in catalog.all_exercises():
        for path in answers(exercise.id, "wrong"):
            found.append((exercise.id, path.stem, expected_layer(path)))
        for path in answers(exercise.id, "right"):
            found.append((exercise.id, path.stem, "passes"))
    return found


def listed() -> list[tuple[str, str, str]]:
    """(exercise, answer, layer) of all rows that stand there."""
    found, exercise = [], ""
    for line in TABLE.read_text().splitlines():
        if line.startswith("## "):
            exercise = line[3:]
        elif line.startswith("| ") and not line.startswith("| answer |"):
            name, layer = (cell.strip() for cell in line.split("|")[1:3])
            found.append((exercise, name, layer))
    return found


def written() -> Iterator[str]:
    yield HEAD
    for exercise in catalog.all_exercises():
        yield f"## {exercise.id}\n\n| answer | refused by | in these words |\n|---|---|---|"
        for path in answers(exercise.id, "wrong"):
            yield row(path.stem, expected_layer(path), what_was_said(path))
        for path in answers(exercise.id, "right"):
            yield row(path.stem, "passes", what_was_said(path))
        yield ""


if __name__ == "__main__":
    TABLE.write_text("\n".join(written()))
