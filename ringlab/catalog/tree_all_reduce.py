"""Lesson 05: up a tree and down again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import changed_before_the_wait, mean_instead_of_sum
from ringlab.catalog.shared import point_to_point, usual_cases, usual_shapes
from ringlab.words import judge as words

if TYPE_CHECKING:
    from ringlab.grading.cases import Case
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic

TASK = """\
For small tensors latency is everything, and a ring needs 2(N − 1) steps. Reduce up a tree to one
rank, then broadcast down: 2⌈log₂ N⌉ steps. Afterwards every rank's `tensor` holds the sum, in
place.

* Only `send`, `recv`, `isend`, `irecv` and `batch_isend_irecv`; 2(N − 1) messages in all.
* No rank exchanges messages with more than ⌈log₂ N⌉ others.
* The longest chain of messages, each waiting for the one before, has at most 2⌈log₂ N⌉. A message
  waits for every message whose wait ended on its sender before it was posted.
* Any world size from 1, powers of two or not; any shape.
"""

HINTS = (
    "A binomial tree: in round k the rank whose bit k is its lowest set bit sends to the rank "
    "without that bit, and has done its part.",
    "The rounds are the distances 1, 2, 4, ... Before you receive from rank + distance, see "
    "whether there is such a rank.",
    "Going down is going up backwards: largest distance first. A rank that wakes its smallest "
    "subtree first lets the largest one wait.",
)


def rules() -> SourceRules:
    """Point-to-point operations only."""
    return point_to_point("tree_all_reduce", ["tensor"])


def cases(world_size: int, generator: Any) -> list[Case]:
    """World sizes that are no powers of two are what is hard here."""
    from ringlab.grading.cases import sum_over_ranks

    return usual_cases(world_size, generator, sum_over_ranks, usual_shapes(generator))


def _levels(n: int) -> int:
    """ceil(log2 n)."""
    return (n - 1).bit_length()


def traffic() -> Traffic:
    """2(N - 1) messages, few partners, a short chain."""
    from ringlab.grading.traffic import P2P, Traffic

    return Traffic(
        operations=P2P,
        allowed=words.P2P_ALLOWED,
        least=lambda n, elements, item: elements * item,
        total=lambda n, elements, item: 2 * (n - 1),
        peers=lambda n, elements, item: _levels(n),
        chain=lambda n, elements, item: 2 * _levels(n),
    )


EXERCISE = Exercise(
    id="tree_all_reduce",
    lesson=5,
    points=10,
    title="Up a tree and down",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 5, 2, 1, (9, 10, 11, 12)),
    cases=cases,
    traffic=traffic,
    mistakes=(
        Mistake("a mean", mean_instead_of_sum),
        Mistake("a change before the wait", changed_before_the_wait),
    ),
    replay=(6, 6),
)
