"""Judging a formula for seconds: ring_time and tree_time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ringlab.grading.cases import Case, CaseResult, Problem, pick
from ringlab.words import exercises as words

Formula = Callable[[int, float, float, float], float]
Calls = list[tuple[Any, ...]]

RELATIVE_ERROR = 1e-9
WORLD_SIZES = (4, 2, 3, 5, 7, 8, 16, 1000, 24576)
SIZES_IN_BYTES = (1000, 7, 1, 0, 4096, 64 << 20)
LINKS = ((5e-6, 1e-10), (1e-3, 2e-8), (0.0, 1e-9), (2e-6, 0.0), (1, 2))
LARGEST_WORLD = 60_000
# Up to 2 to these bytes, each on a link of its own.
DRAWN_POWERS = (8, 33, 33)


def ring(n: int, nbytes: float, alpha: float, beta: float) -> float:
    """2(N - 1)(alpha + beta * nbytes / N) seconds (Thakur, Rabenseifner and Gropp 2005)."""
    return 2 * (n - 1) * (alpha + beta * nbytes / n)


def tree(n: int, nbytes: float, alpha: float, beta: float) -> float:
    """2 ceil(log2 N) (alpha + beta * nbytes) seconds (Thakur, Rabenseifner and Gropp 2005)."""
    return 2 * (n - 1).bit_length() * (alpha + beta * nbytes)


def time_cases(
    name: str, generator: Any, right: Formula, wrong: Mapping[str, Formula]
) -> list[Case]:
    """Every size on every link, and drawn ones, so that no answer can have them in a table.

    wrong: what to say -> the formula that gives what was seen.
    """

    def judge(case: Case, results: list[CaseResult]) -> Problem | None:
        assert case.calls is not None
        answers = [result.returned for result in results]
        return _first_wrong(name, case.calls, answers, right, wrong)

    def case(title: str, world_sizes: tuple[int, ...], drawn: list[int]) -> Case:
        calls: Calls = [
            (n, nbytes, alpha, beta)
            for nbytes in SIZES_IN_BYTES
            for n in world_sizes
            for alpha, beta in LINKS
        ]
        calls += [
            (n, 2 ** pick(generator, 0, most) + pick(generator, 1, 999), *_link(generator))
            for n in drawn
            for most in DRAWN_POWERS
        ]
        return Case(title, title, world_sizes[0], [], judge, None, calls=calls)

    # A logarithm that is rounded wrongly shows beside a power of two.
    drawn = [
        2 ** pick(generator, 3, 12) + 1,
        2 ** pick(generator, 4, 12) - 1,
        pick(generator, 33, 999),
        pick(generator, 30_001, LARGEST_WORLD),
    ]
    return [case(words.TIMES_OF_MANY, WORLD_SIZES, drawn), case(words.TIMES_OF_ONE, (1,), [1])]


def _link(generator: Any) -> tuple[float, float]:
    """A latency from 0.1 to 1 us and seconds a byte, 0.01 to 0.1 ns, with six digits."""
    alpha, beta = pick(generator, 100_000, 999_999), pick(generator, 100_000, 999_999)
    return float(f"{alpha}e-12"), float(f"{beta}e-16")


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
