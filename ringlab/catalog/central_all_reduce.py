"""Lesson 02: an all-reduce through rank 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import changed_before_the_wait, mean_instead_of_sum
from ringlab.catalog.shared import point_to_point, usual_cases, usual_shapes
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ringlab.grading.cases import Case, Evidence, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.trace.records import Operation, RankRecord

TASK = """\
The way that comes to mind first: rank 0 collects every tensor, adds them to its own, and sends the
sum back. Afterwards every rank's `tensor` holds the sum, in place.

* Only `send`, `recv`, `isend`, `irecv` and `batch_isend_irecv`.
* Every message has rank 0 at one end; it receives (N − 1)·M bytes and sends (N − 1)·M.
* Any world size from 1, any shape.
"""

HINTS = (
    "Two roles again: what does rank 0 do, what do the others?",
    "A message overwrites what it lands on. Rank 0 needs a buffer to receive into: "
    "`torch.empty_like(tensor)`.",
    "The others send their tensor and then receive the sum into it. Rank 0 must have added "
    "everything before it sends anything back.",
)


def rules() -> SourceRules:
    """Point-to-point operations only."""
    return point_to_point("central_all_reduce", ["tensor"])


def cases(world_size: int, generator: Any) -> list[Case]:
    """Small and large tensors, and ranks that come late."""
    from ringlab.grading.cases import sum_over_ranks

    return usual_cases(world_size, generator, sum_over_ranks, usual_shapes(generator))


def traffic() -> Traffic:
    """A star with rank 0 in the middle."""
    from ringlab.grading.traffic import P2P, Traffic

    return Traffic(
        operations=P2P,
        allowed=words.P2P_ALLOWED,
        route=_through_0,
        least=lambda n, elements, item: elements * item,
        rules=((own_words.TRAFFIC_HUB, _hub_bytes),),
    )


def _through_0(case: Case, send: Operation) -> str | None:
    if 0 in (send.rank, send.peer):
        return None
    return own_words.NOT_THROUGH_0.format(rank=send.rank, peer=send.peer, line=send.line)


def _hub_bytes(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem
    from ringlab.grading.traffic import sends

    (tensor,) = case.tensors
    most = (case.world_size - 1) * tensor.numel() * tensor.element_size()
    out = sum(send.nbytes for send in sends(records) if send.rank == 0)
    back = sum(send.nbytes for send in sends(records) if send.peer == 0)
    if back > most:
        yield Problem(own_words.HUB_RECEIVES.format(got=back, most=most), 0)
    if out > most:
        yield Problem(own_words.HUB_SENDS.format(got=out, most=most), 0)


def _overwritten(evidence: Evidence) -> str | None:
    """Rank 0 receives into the tensor whose sum it is to make."""
    for operation in evidence.records[0].operations:
        if operation.name == "recv" and operation.offset is not None and operation.numel:
            return own_words.OVERWRITTEN.format(line=operation.line)
    return None


EXERCISE = Exercise(
    id="central_all_reduce",
    lesson=2,
    points=5,
    title="Everything through rank 0",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 2, 1, (6, 7)),
    cases=cases,
    traffic=traffic,
    mistakes=(
        Mistake("overwritten, not added", _overwritten),
        Mistake("a mean", mean_instead_of_sum),
        Mistake("a change before the wait", changed_before_the_wait),
    ),
    replay=(4, 4),
)
