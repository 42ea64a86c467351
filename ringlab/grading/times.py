"""Judging a formula for seconds: ring_time and tree_time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ringlab.grading.cases import Case, CaseResult, Problem
from ringlab.words import exercises as words

Formula = Callable[[int, float, float, float], float]
Calls = list[tuple[Any, ...]]

RELATIVE_ERROR = 1e-9
WORLD_SIZES = (4, 2, 3, 5, 7, 8, 16, 1000, 24576)
SIZES_IN_BYTES = (1000, 7, 1, 0, 4096, 64 << 20)
LINKS = ((5e-6, 1e-10), (1e-3, 2e-8), (0.0, 1e-9), (2e-6, 0.0), (1, 2))


def ring(n: int, nbytes: float, alpha: float, beta: float) -> float:
    """2(N - 1)(alpha + beta * nbytes / N) seconds (Thakur, Rabenseifner and Gropp 2005)."""
    return 2 * (n - 1) * (alpha + beta * nbytes / n)


def tree(n: int, nbytes: float, alpha: float, beta: float) -> float:
    """2 ceil(log2 N) (alpha + beta * nbytes) seconds (Thakur, Rabenseifner and Gropp 2005)."""
    return 2 * (n - 1).bit_length() * (alpha + beta * nbytes)


def time_cases(name: str, right: Formula, wrong: Mapping[str, Formula]) -> list[Case]:
    """Every size on every link. wrong: what to say -> the formula that gives what was seen."""

    def judge(case: Case, results: list[CaseResult]) -> Problem | None:
        assert case.calls is not None
        answers = [result.returned for result in results]
        return _first_wrong(name, case.calls, answers, right, wrong)

    def case(title: str, world_sizes: tuple[int, ...]) -> Case:
        calls = [
            (n, nbytes, alpha, beta)
            for nbytes in SIZES_IN_BYTES
            for n in world_sizes
            for alpha, beta in LINKS
        ]
        return Case(title, title, world_sizes[0], [], judge, None, calls=calls)

    return [case(words.TIMES_OF_MANY, WORLD_SIZES), case(words.TIMES_OF_ONE, (1,))]


def _first_wrong(
    name: str, calls: Calls, answers: list[Any], right: Formula, wrong: Mapping[str, Formula]
) -> Problem | None:
    from ringlab.grading.judge import shown

    for call, got in zip(calls, answers, strict=True):
        text = f"{name}({', '.join(map(repr, call))})"
        if type(got) not in (int, float):
            return Problem(words.NOT_A_NUMBER.format(call=text, got=shown(got)))
        wanted = right(*call)
        if not _close(got, wanted):
            why = _why(calls, answers, wrong)
            message = words.WRONG_TIME.format(call=text, got=got, wanted=wanted, why=why)
            return Problem(message.strip())
    return None


def _close(got: float, wanted: float) -> bool:
    return math.isclose(got, wanted, rel_tol=RELATIVE_ERROR, abs_tol=0.0)


def _why(calls: Calls, answers: list[Any], wrong: Mapping[str, Formula]) -> str:
    """What to say where one wrong formula gives every answer."""
    if calls[0][0] == 1:
        return words.TIME_ONE_RANK
    for sentence, formula in wrong.items():
        pairs = zip(calls, answers, strict=True)
        if all(type(got) in (int, float) and _close(got, formula(*call)) for call, got in pairs):
            return sentence
    return ""
