"""Lesson 05: what a tree costs, latency and bytes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise
from ringlab.words import exercises as words

if TYPE_CHECKING:
    from collections.abc import Callable

    from ringlab.grading.cases import Case
    from ringlab.grading.source import SourceRules

TASK = """\
How many seconds does an all-reduce by a tree take, up and down again? A message costs α seconds of
latency and β seconds a byte. A tree over N ranks has ⌈log₂ N⌉ levels, and every message carries the
whole tensor. `alpha` is in seconds, `beta` in seconds a byte. One rank needs no time. N may be tens
of thousands: write a formula, not a simulation.
"""

HINTS = (
    "One level up: how long? How many levels, and how often is each passed?",
    "`(n - 1).bit_length()` is ⌈log₂ n⌉ without a rounding error, and 0 for n = 1.",
)


def rules() -> SourceRules:
    """Plain Python."""
    from ringlab.grading.source import SourceRules

    return SourceRules(
        name="tree_time",
        kind="function",
        parameters=("world_size", "nbytes", "alpha", "beta"),
        allowed_communication=frozenset(),
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Every world size at once, fixed ones and drawn ones: no ranks are needed."""
    from ringlab.grading import times

    return times.time_cases("tree_time", generator, times.tree, _wrong())


def _wrong() -> dict[str, Callable[[int, float, float, float], float]]:
    from ringlab.grading.times import ring

    def levels(n: int) -> int:
        return (n - 1).bit_length()

    return {
        words.TIME_HALF: lambda n, m, a, b: levels(n) * (a + b * m),
        words.TIME_FLOOR: lambda n, m, a, b: 2 * (n.bit_length() - 1) * (a + b * m),
        words.TIME_NOT_ROUNDED: lambda n, m, a, b: 2 * math.log2(n) * (a + b * m),
        words.TIME_NATURAL_LOG: lambda n, m, a, b: 2 * math.ceil(math.log(n)) * (a + b * m),
        words.TIME_CHUNKS_IN_TREE: lambda n, m, a, b: 2 * levels(n) * (a + b * m / n),
        words.TIME_ONE_LATENCY: lambda n, m, a, b: a + 2 * levels(n) * b * m,
        words.TIME_NO_LATENCY: lambda n, m, a, b: 2 * levels(n) * b * m,
        words.TIME_NO_BYTES: lambda n, m, a, b: 2 * levels(n) * a,
        words.TIME_SWAPPED: lambda n, m, a, b: 2 * levels(n) * (b + a * m),
        words.TIME_DIVIDED: lambda n, m, a, b: 2 * levels(n) * (a + m / b if b else a),
        words.TIME_RING_FOR_TREE: ring,
    }


EXERCISE = Exercise(
    id="tree_time",
    lesson=5,
    points=3,
    title="What a tree costs",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(1,),
    cases=cases,
    ranks=False,
)
