"""Lesson 02: one rank's tensor everywhere, by messages."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import watched_is
from ringlab.catalog.shared import ALL_CASES_UP_TO, usual_cases, usual_shapes
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from torch import Tensor

    from ringlab.grading.cases import Case, CaseResult, Evidence, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.trace.records import Operation

TASK = """\
Afterwards every rank's `tensor` holds what rank `src` had, in place, as after
`dist.broadcast(tensor, src)`. Who passes it to whom is up to you.

* Only `send`, `recv`, `isend`, `irecv` and `batch_isend_irecv`.
* Nobody sends to `src`.
* Any `src`, any world size from 1, any shape. A `src` that is no rank: `ValueError`, before
  anything is sent.
"""

HINTS = (
    "Two roles: one rank sends, the others receive. Which are you?",
    "`src` sends to every rank but itself; every other rank receives, from `src`.",
    "A rank can't send to itself: leave `src` out of the loop.",
)


def rules() -> SourceRules:
    """Point-to-point operations only."""
    from ringlab.grading.source import P2P, SourceRules

    return SourceRules(
        name="broadcast_by_hand",
        kind="function",
        parameters=("tensor", "src"),
        allowed_communication=P2P,
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Every src, and for one of them every shape and dtype; on many ranks a drawn src."""
    import torch

    from ringlab.grading.cases import one_case, pick, refused_case

    n = world_size
    shapes = usual_shapes(generator)
    options: dict[str, Any] = {"more": {"src": n - 1}}
    group = own_words.GROUP_SOURCES
    if n > ALL_CASES_UP_TO:
        src = pick(generator, 1, n - 1)
        return [one_case(n, generator, _judge, group, (6,), torch.float32, more={"src": src})]
    return [
        *(
            one_case(n, generator, _judge, group, (6,), torch.float32, more={"src": src})
            for src in range(n)
        ),
        *usual_cases(n, generator, _judge, shapes, **options),
        *(
            refused_case(
                one_case(n, generator, _judge, group, (6,), torch.float32, more={"src": src}),
                own_words.NO_SUCH_RANK.format(src=src, world_size=n),
            )
            for src in (n, -1)
        ),
    ]


def _judge(case: Case, results: list[CaseResult]) -> Problem | None:
    import torch

    from ringlab.grading.cases import in_place

    src = case.arguments[0][1]

    def expected(parts: list[Tensor]) -> tuple[Tensor, Tensor]:
        return parts[src], torch.zeros(parts[src].shape, dtype=torch.float64)

    return in_place(case, results, expected)


def traffic() -> Traffic:
    """Messages that never go to src."""
    from ringlab.grading.traffic import P2P, Traffic

    return Traffic(
        operations=P2P,
        allowed=words.P2P_ALLOWED,
        route=_not_to_the_source,
        everybody_sends=False,
    )


def _not_to_the_source(case: Case, send: Operation) -> str | None:
    src = case.arguments[0][1]
    if send.peer != src:
        return None
    return own_words.TO_THE_SOURCE.format(rank=send.rank, src=src, line=send.line)


def _from_another(evidence: Evidence) -> str | None:
    """Every rank ends with the tensor of one rank that is not src."""
    src = evidence.case.arguments[0][1]
    for rank in range(evidence.case.world_size):
        if rank != src and watched_is(evidence, itemgetter(rank)):
            return own_words.FROM_ANOTHER.format(rank=rank, src=src)
    return None


EXERCISE = Exercise(
    id="broadcast_by_hand",
    lesson=2,
    points=5,
    title="Broadcast by hand",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 2, 5, 1, (9, 10, 11)),
    cases=cases,
    traffic=traffic,
    mistakes=(Mistake("another rank's tensor", _from_another),),
    replay=(4, 4, 1),
    collective="broadcast",
)
