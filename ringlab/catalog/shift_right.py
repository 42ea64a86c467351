"""Lesson 01: everybody hands its tensor to the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.shared import usual_cases, usual_shapes
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from torch import Tensor

    from ringlab.grading.cases import Case, CaseResult, Evidence, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic

TASK = """\
Let every rank return what its left neighbour has, as a new tensor; its own stays as it is. The left
neighbour of rank r is rank r − 1, and round the ring that of rank 0 is the last rank.

* Only `send`, `recv`, `isend`, `irecv` and `batch_isend_irecv`.
* Each rank sends its tensor once, nothing more. A single rank sends nothing.
* All ranks do this at the same time, and none may wait for ever.
"""

HINTS = (
    "The result needs memory of its own before anything can arrive in it: `torch.empty_like`.",
    "`dist.send` comes back when the other side has received. If all ranks begin with it, nobody "
    "is left to receive.",
    "Post both and wait for both: `isend` to the right, `irecv` from the left, then `wait()` on "
    "each. With one rank there is no neighbour: `tensor.clone()`.",
)


def rules() -> SourceRules:
    """Point-to-point operations only."""
    from ringlab.grading.source import P2P, SourceRules

    return SourceRules(
        name="shift_right", kind="function", parameters=("tensor",), allowed_communication=P2P
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Small and large tensors, and ranks that come late."""
    shapes = usual_shapes(generator, large=100_000)
    return usual_cases(world_size, generator, _judge, shapes, watched=None)


def _lefts(case: Case) -> list[Tensor]:
    n = case.world_size
    return [case.arguments[(rank - 1) % n][0] for rank in range(n)]


def _judge(case: Case, results: list[CaseResult]) -> Problem | None:
    from ringlab.grading.cases import new_tensor

    return new_tensor(case, results, _lefts(case))


def traffic() -> Traffic:
    """One tensor leaves each rank."""
    from ringlab.grading.traffic import P2P, Traffic

    return Traffic(
        operations=P2P,
        allowed=words.P2P_ALLOWED,
        nbytes=lambda n, elements, item: elements * item if n > 1 else 0,
        bytes_reason=own_words.SHIFT_BYTES,
    )


def _to_the_left(evidence: Evidence) -> str | None:
    n = evidence.case.world_size
    if n < 3 or not _all_return(evidence, 1):
        return None
    return own_words.SHIFTED_LEFT


def _own(evidence: Evidence) -> str | None:
    return own_words.RETURNED_OWN if _all_return(evidence, 0) else None


def _all_return(evidence: Evidence, offset: int) -> bool:
    """Whether every rank returned what rank + offset had."""
    import torch

    case, results = evidence.case, evidence.results
    if results is None or case.world_size < 2 or not case.tensors[0].numel():
        return False
    return all(
        isinstance(result.returned, torch.Tensor)
        and torch.equal(result.returned, case.arguments[(rank + offset) % case.world_size][0])
        for rank, result in enumerate(results)
    )


EXERCISE = Exercise(
    id="shift_right",
    lesson=1,
    points=5,
    title="One to the right",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 2, 1, (6, 7)),
    cases=cases,
    traffic=traffic,
    mistakes=(Mistake("to the left", _to_the_left), Mistake("its own tensor", _own)),
    collective=None,
)
