"""Lesson 01: the mean of a gradient over the ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import remainder_dropped, watched_is
from ringlab.catalog.shared import ALL_CASES_UP_TO, too_many_elements
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ringlab.grading.cases import Case, Evidence, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.trace.records import RankRecord

TASK = """\
Every rank has computed a gradient from its own part of the batch. Afterwards every rank's
`gradient` holds the mean over the ranks, in place.

* One all_reduce; or one reduce_scatter and one all_gather, with the gradient padded where its
  number of elements does not divide by the world size: at most up to the next multiple of 64
  elements for each rank.
* Floating dtypes, any shape, any world size from 1.
"""

HINTS = (
    "The sum over the ranks, and then?",
    "`dist.all_reduce(gradient)` leaves the sum in `gradient`. `gradient /= n` changes it in "
    "place, `gradient = gradient / n` makes a new tensor that the caller never sees.",
    "`dist.ReduceOp.AVG` adds and divides at once, where the backend knows it.",
)


def rules() -> SourceRules:
    """An all_reduce, or its two halves."""
    from ringlab.grading.source import ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER, SourceRules

    both = ALL_REDUCE | REDUCE_SCATTER | ALL_GATHER
    return SourceRules(
        name="average_gradient",
        kind="function",
        parameters=("gradient",),
        allowed_communication=both | {"torch.distributed._coalescing_manager"},
        required_communication=((ALL_REDUCE,), (REDUCE_SCATTER, ALL_GATHER)),
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Sizes that divide and that don't, in the floating dtypes."""
    import torch

    from ringlab.grading.cases import FLOATS, delayed_cases, mean_over_ranks, pick, tensor_cases

    n = world_size
    if n > ALL_CASES_UP_TO:
        one = {words.GROUP_UNEVEN: [(n + 1,)]}
        return tensor_cases(n, generator, mean_over_ranks, shapes=one, dtypes=[torch.float32])
    shapes: dict[str, list[tuple[int, ...]]] = {
        words.GROUP_DIVIDES: [(n,), (3 * n,)],
        words.GROUP_UNEVEN: [(n + 1,), (n * pick(generator, 2, 9) + 1,)],
        words.GROUP_FEW: [(1,), (max(1, n - 1),)],
        words.GROUP_SHAPES: [(4, 5), (2, 3, 5), ()],
        words.GROUP_EMPTY: [(0,)],
        words.GROUP_LARGE: [(pick(generator, 2000, 4000),)],
    }
    return [
        *tensor_cases(
            n, generator, mean_over_ranks, shapes=shapes, dtypes=[torch.float32], others=FLOATS
        ),
        *delayed_cases(n, generator, mean_over_ranks),
    ]


def traffic() -> Traffic:
    """One all_reduce, or one of each of its halves."""
    from ringlab.grading.traffic import Traffic

    names = {"all_reduce", "reduce_scatter", "all_gather"}
    return Traffic(
        operations=frozenset({*names, *(name + "_coalesced" for name in names)}),
        allowed=own_words.ONE_ALL_REDUCE,
        rules=(
            (own_words.TRAFFIC_COUNT, _one_all_reduce),
            (own_words.TRAFFIC_ELEMENTS, _the_gradient_alone),
        ),
    )


def _one_all_reduce(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem
    from ringlab.grading.prices import called, collectives

    halves = {"reduce_scatter": 1, "all_gather": 1}
    # Where there is nothing to tell anyone, nothing need be sent.
    quiet = case.world_size == 1 or not case.tensors[0].numel()
    for record in records:
        found = collectives(record)
        counts = {name: len(each) for name, each in found.items()}
        if counts not in ({"all_reduce": 1}, halves) and not (quiet and not counts):
            text = own_words.AVERAGE_CALLS.format(rank=record.rank, calls=called(found))
            yield Problem(text, record.rank)


def _the_gradient_alone(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    """Once through the wire: another dtype is fine, copies of the gradient are not."""
    from ringlab.grading.prices import collectives
    from ringlab.grading.traffic import padded

    n = case.world_size
    most = padded(case.tensors[0].numel(), n)
    yield from too_many_elements(
        (call, call.numel, most // n if name == "all_gather" else most)
        for record in records
        for name, calls in collectives(record).items()
        for call in calls
    )


def _sum_instead(evidence: Evidence) -> str | None:
    return own_words.IS_SUM if watched_is(evidence, lambda parts: sum(parts)) else None


def _divided_twice(evidence: Evidence) -> str | None:
    n = evidence.case.world_size
    twice = watched_is(evidence, lambda parts: sum(parts) / n**2)
    return own_words.DIVIDED_TWICE if twice else None


def _own_only(evidence: Evidence) -> str | None:
    n = evidence.case.world_size
    own = watched_is(evidence, lambda parts: [part / n for part in parts])
    return own_words.ONLY_OWN if own else None


EXERCISE = Exercise(
    id="average_gradient",
    lesson=1,
    points=5,
    title="The mean gradient",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 2, 1, (6, 7)),
    cases=cases,
    traffic=traffic,
    mistakes=(
        Mistake("a sum", _sum_instead),
        Mistake("divided twice", _divided_twice),
        Mistake("its own alone", _own_only),
        Mistake("a dropped remainder", remainder_dropped),
    ),
    collective=None,
)
