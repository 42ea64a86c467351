"""`check` in a notebook: find the answer's cell, judge it, show the report."""

from __future__ import annotations

import inspect
import linecache
import re
import sys
from typing import Any

from ringlab import catalog
from ringlab.grading.verdict import Report
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
    """The cell that defines the answer, or the file.

    In a notebook that is the cell that was run last with such a definition in it, also when it did
    not get to its end: the version before it is not what the learner sees. A class is looked for
    through its methods.
    """
    shell = getattr(sys.modules.get("__main__"), "In", None)
    defines = re.compile(rf"^\s*(async\s+def|def|class)\s+{name}\b", re.MULTILINE)
    for cell in reversed(shell if isinstance(shell, list) else []):
        if defines.search(str(cell)):
            return [str(cell)]
    for part in (answer, *(vars(answer).values() if inspect.isclass(answer) else ())):
        code = getattr(inspect.unwrap(part) if callable(part) else part, "__code__", None)
        lines = linecache.getlines(code.co_filename) if code is not None else []
        if lines:
            return ["".join(lines)]
    return []


def _show(report: Report) -> None:
    from ringlab.view import report_text

    if "ipykernel" in sys.modules:
        from ringlab.view import show_report

        show_report(report)
    else:
        print(report_text(report))


def one_line(report: Report) -> str:
    """The verdict; what to look at stands in the report."""
    return words.CHECK_FAILED.format(
        exercise=report.exercise, verdict=words.VERDICTS[report.verdict]
    )
