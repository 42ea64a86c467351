"""`./course check`: judge files."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ringlab import catalog
from ringlab.catalog.exercise import Exercise
from ringlab.catalog.private import load
from ringlab.grading.submission import NoAnswer, UnreadableSubmission, read_answer
from ringlab.grading.verdict import Check, Report
from ringlab.plain import plain
from ringlab.words import judge as words


def check_files(
    exercise_id: str,
    files: Sequence[Path],
    as_json: bool = False,
    start: str = "auto",
    seed: int | None = None,
    private_cases: Path | None = None,
) -> int:
    """Judge each file's answer to one exercise and print a report for each.

    seed: draws the values of an earlier judgement again; a gradebook names it. private_cases: a
    folder as `ringlab.catalog.private` has it; its cases get a report of their own.

    Exit status 0 when all passed, 1 when some failed, 2 when something could not be judged.
    Raises KeyError when there is no such exercise, and BadPrivateCases.
    """
    private = load(private_cases)
    exercises = [private.get(exercise_id)]
    if exercise_id in private.added:
        exercises.append(private.added[exercise_id])
    verdicts = set()
    _keep_printing()
    for file in files:
        for exercise in exercises:
            report = _check_guarded(exercise, file, start, seed)
            verdicts.add(report.verdict)
            _print(report, as_json)
    if "could not be judged" in verdicts:
        return 2
    return 1 if "failed" in verdicts else 0


def check_file(
    exercise_id: str,
    file: Path,
    start: str = "auto",
    seed: int | None = None,
    thorough: bool = False,
) -> Report:
    """Judge the answer in one notebook or Python file. What can't be read could not be judged.

    start, seed, thorough: as `ringlab.grading.judge.judge` takes them.
    """
    return check_answer(catalog.get(exercise_id), file, start, seed, thorough)


def check_answer(
    exercise: Exercise,
    file: Path,
    start: str = "auto",
    seed: int | None = None,
    thorough: bool = False,
) -> Report:
    """As `check_file`, for an exercise that need not be in the catalog."""
    from ringlab.grading.judge import judge

    begun = time.monotonic()
    try:
        answer = read_answer(file, exercise.id)
    except UnreadableSubmission as error:
        return _unread(exercise.id, file, str(error), "could not be judged", begun)
    except NoAnswer as error:
        return _unread(exercise.id, file, str(error), "failed", begun)
    return judge(exercise, answer.source, file=str(file), start=start, seed=seed, thorough=thorough)


def _keep_printing() -> None:
    """What the terminal's encoding can't write is written as an escape, and stops nothing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _check_guarded(exercise: Exercise, file: Path, start: str, seed: int | None) -> Report:
    """Judge one file; a fault of the judge is that file's verdict, and the next is judged."""
    begun = time.monotonic()
    try:
        return check_answer(exercise, file, start, seed)
    except Exception as error:
        return judge_broke(exercise.id, file, error, begun)


def judge_broke(exercise_id: str, file: Path, error: Exception, begun: float) -> Report:
    """The report of an answer at which the judge itself stopped."""
    fault = plain(f"{type(error).__name__}: {plain(error, 400)}", 500)
    message = words.JUDGE_BROKE.format(fault=fault)
    return _unread(exercise_id, file, message, "could not be judged", begun)


def not_judged(exercise_id: str, file: Path, reason: str) -> Report:
    """The report of an answer that nobody looked at."""
    return _unread(exercise_id, file, reason, "could not be judged", time.monotonic())


def _unread(exercise: str, file: Path, message: str, verdict: str, begun: float) -> Report:
    check = Check("source", words.SOURCE, False, message)
    seconds = time.monotonic() - begun
    return Report(exercise, verdict, (check,), seconds, str(file))  # type: ignore[arg-type]


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        print(json.dumps(report.to_json(), ensure_ascii=True), flush=True)
        return
    from ringlab.view import report_text

    print(report_text(report), flush=True)
