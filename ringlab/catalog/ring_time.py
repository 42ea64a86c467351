"""Lesson 05: what a ring costs, latency and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise
from ringlab.words import exercises as words

if TYPE_CHECKING:
    from collections.abc import Callable

    from ringlab.grading.cases import Case
    from ringlab.grading.source import SourceRules

TASK = """\
How many seconds does an all-reduce by a ring take? A message costs α seconds of latency and β
seconds a byte. A ring makes 2(N − 1) steps, one after the other, and in each a rank sends one
chunk, 1/N of the tensor. Let a chunk be a fraction of a byte if it must. `alpha` is in seconds,
`beta` in seconds a byte. One rank needs no time. N may be tens of thousands: write a formula, not a
simulation.
"""

HINTS = (
    "The price of one message first; then how many of them come one after the other.",
    "One message is `alpha + beta * nbytes / world_size`. `/`, not `//`.",
)


def rules() -> SourceRules:
    """Plain Python."""
    from ringlab.grading.source import SourceRules

    return SourceRules(
        name="ring_time",
        kind="function",
        parameters=("world_size", "nbytes", "alpha", "beta"),
        allowed_communication=frozenset(),
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Every world size at once, fixed ones and drawn ones: no ranks are needed."""
    from ringlab.grading import times

    return times.time_cases("ring_time", generator, times.ring, _wrong())


def _wrong() -> dict[str, Callable[[int, float, float, float], float]]:
    from ringlab.grading.times import tree

    return {
        words.TIME_HALF: lambda n, m, a, b: (n - 1) * (a + b * m / n),
        words.TIME_WHOLE_TENSOR: lambda n, m, a, b: 2 * (n - 1) * (a + b * m),
        words.TIME_ROUNDED_CHUNK: lambda n, m, a, b: 2 * (n - 1) * (a + b * (m // n)),
        words.TIME_ONE_STEP_MORE: lambda n, m, a, b: 2 * n * (a + b * m / n),
        words.TIME_ONE_LATENCY: lambda n, m, a, b: a + 2 * (n - 1) * b * m / n,
        words.TIME_NO_LATENCY: lambda n, m, a, b: 2 * (n - 1) * b * m / n,
        words.TIME_NO_BYTES: lambda n, m, a, b: 2 * (n - 1) * a,
        words.TIME_SWAPPED: lambda n, m, a, b: 2 * (n - 1) * (b + a * m / n),
        words.TIME_DIVIDED: lambda n, m, a, b: 2 * (n - 1) * (a + m / n / b if b else a),
        words.TIME_TREE_FOR_RING: tree,
    }


EXERCISE = Exercise(
    id="ring_time",
    lesson=5,
    points=3,
    title="What a ring costs",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(1,),
    cases=cases,
    ranks=False,
)
