"""The gradebook as tables: grades.csv, and what Gradescope reads."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ringlab.gradebook import files
from ringlab.gradebook.store import Gradebook
from ringlab.words import gradebook as words

COLUMNS = (
    *("submission", "identity", "exercise", "verdict", "points", "max_points", "seconds"),
    *("message", "private_message", "notebook", "protection", "seed", "command", "feedback"),
)
# A spreadsheet takes what begins like this for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def grades(book: Gradebook) -> Iterator[str]:
    """grades.csv, a line at a time: a row for each submission and exercise."""
    yield _line(COLUMNS)
    runs = {run["id"]: run for run in book.runs()}
    protection = {number: _protection(run) for number, run in runs.items()}
    number, notebook = None, ""
    for row in book.all_judgements():
        if row["submission"] != number:
            number = row["submission"]
            notebook = notebook_in_short(book.notebook_runs(number))
        yield _line(
            (
                row["name"],
                row["who"],
                row["exercise"],
                row["verdict"],
                "" if row["points"] is None else f"{row['points']:g}",
                f"{row['max_points']:g}",
                f"{row['seconds']:.2f}",
                row["message"],
                row["private"],
                notebook,
                protection.get(row["run"], ""),
                "" if row["seed"] is None else str(row["seed"]),
                command(row) + _with_private(row, runs.get(row["run"])),
                f"{files.SUBMISSIONS}/{files.folder_of(row['raw'])}/{files.FEEDBACK}",
            )
        )


def _line(values: tuple[str, ...]) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\r\n").writerow([_safe(value) for value in values])
    return target.getvalue()


def _safe(value: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value.startswith(_FORMULA) else value


def _protection(run: dict[str, Any]) -> str:
    return str(json.loads(run["protection"])["name"]) if run["protection"] else ""


def notebook_in_short(runs: list[dict[str, Any]]) -> str:
    """How a submission's notebooks ran, in a few words."""
    told = []
    for run in runs:
        if run["outcome"] == "runs":
            told.append(words.NOTEBOOK_RUNS)
        elif run["outcome"] == "not run":
            told.append(words.NOTEBOOK_NOT_RUN)
        elif run["cell"] is None:
            told.append(words.NOTEBOOK_STOPS_SOMEWHERE)
        else:
            told.append(words.NOTEBOOK_STOPS_SHORT.format(cell=run["cell"]))
    return ", ".join(told)


def command(row: dict[str, Any]) -> str:
    """What judges one answer again, with the same values."""
    if row["seed"] is None:
        return ""
    file = _quoted(bytes(row["path"]))
    return f"./course check {row['exercise']} {file} --seed {row['seed']}"


def _with_private(row: dict[str, Any], run: dict[str, Any] | None) -> str:
    """What the command needs besides where private cases were judged too."""
    folder = json.loads(run["options"]).get("private_cases") if run else None
    if not folder or row["seed"] is None or not Path(folder, f"{row['exercise']}.py").is_file():
        return ""
    return f" --private-cases {_quoted(os.fsencode(folder))}"


def _quoted(path: bytes) -> str:
    """A path for a shell, whatever is in it, on one line of printable characters."""
    text = os.fsdecode(path)
    if text.isprintable():
        return shlex.quote(text)
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in path
    )
    return f"$'{escaped}'"


def gradescope(rows: list[dict[str, Any]], runs: list[dict[str, Any]]) -> str:
    """results.json as Gradescope's autograder specification has it: one test an exercise.

    https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    tests = [
        {
            "name": row["exercise"],
            "score": row["points"] or 0.0,
            "max_score": row["max_points"],
            "status": "passed" if row["verdict"] == "passed" else "failed",
            "output": _output(row),
            "output_format": "text",
            "visibility": "visible",
        }
        for row in rows
    ]
    seconds = sum(each["seconds"] for each in [*rows, *runs])
    told = [words.RESULT_PAGE, *(_told(run) for run in runs)]
    return json.dumps(
        {
            "score": round(sum(row["points"] or 0.0 for row in rows), 2),
            "execution_time": round(seconds),
            "output": "\n".join(told),
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": tests,
        },
        indent=1,
    )


def _output(row: dict[str, Any]) -> str:
    if row["verdict"] == "could not be judged":
        return words.RESULT_OPEN.format(message=row["message"])
    if row["verdict"] == "passed":
        return words.RESULT_PASSED
    failed = [check for check in json.loads(row["checks"]) if not check["passed"]]
    lines = [f"{check['name']}: {check['message']}" for check in failed]
    return "\n".join(dict.fromkeys(lines)) or str(row["message"])


def _told(run: dict[str, Any]) -> str:
    heading = words.NOTEBOOK_HEADING.format(lesson=run["lesson"])
    said = words.NOTEBOOK_RUNS_LONG if run["outcome"] == "runs" else run["message"]
    return f"{heading}: {said}"
