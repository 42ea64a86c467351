"""`check` in a notebook: find the answer's cell, judge it, show the report."""

from __future__ import annotations

import inspect
import linecache
import sys
from typing import Any

from ringlab import catalog
from ringlab.grading.verdict import Report
from ringlab.plain import plain
from ringlab.words import judge as words


class CheckFailed(Exception):
    """A check that did not pass. In a notebook it shows as one line, below the report."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def check(answer: Any) -> None:
    """Judge the answer to an exercise and show the report.

    answer: the function or class itself, as in `check(ring_all_reduce)`. What is judged is the
    source of the cell (or file) that defines it. Raises CheckFailed unless it passes, so that
    Run All and nbval see it.
    """
    name = getattr(answer, "__name__", None)
    known = [exercise.id for exercise in catalog.all_exercises()]
    if not isinstance(name, str) or not callable(answer):
        raise CheckFailed(words.NO_ANSWER_IN_CALL)
    if name not in known:
        raise CheckFailed(words.UNKNOWN_EXERCISE.format(name=name, known=", ".join(known)))
    from ringlab.grading.judge import judge
    from ringlab.grading.submission import NoAnswer, find_answer

    cells = _cells_of(answer, name)
    try:
        source = find_answer(cells, name).source
    except NoAnswer:
        raise CheckFailed(words.NO_SOURCE.format(name=name)) from None
    report = judge(catalog.get(name), source)
    _show(report)
    if not report.passed:
        raise CheckFailed(one_line(report))


def _cells_of(answer: Any, name: str) -> list[str]:
    """The cell or file that defines the answer; a class is looked for through its methods."""
    for part in (answer, *(vars(answer).values() if inspect.isclass(answer) else ())):
        code = getattr(inspect.unwrap(part) if callable(part) else part, "__code__", None)
        lines = linecache.getlines(code.co_filename) if code is not None else []
        if lines:
            return ["".join(lines)]
    shell = getattr(sys.modules.get("__main__"), "In", None)
    return [str(cell) for cell in shell] if isinstance(shell, list) else []


def _show(report: Report) -> None:
    from ringlab.view import report_text

    if "ipykernel" in sys.modules:
        from ringlab.view import show_report

        show_report(report)
    else:
        print(report_text(report))


def one_line(report: Report) -> str:
    """The verdict and the first thing to look at."""
    failures = report.failures
    first = ""
    if failures:
        lines = (failures[0].message or failures[0].name).splitlines()
        message = plain(lines[0], 400)
        first = words.FIRST_FAILURE.format(layer=failures[0].layer, message=message)
    return words.CHECK_FAILED.format(
        exercise=report.exercise, verdict=words.VERDICTS[report.verdict], first=first
    ).strip()
