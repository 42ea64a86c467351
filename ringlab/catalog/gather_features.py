"""Lesson 01: everybody's features, joined on every rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.shared import too_many_elements, usual_cases
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from ringlab.grading.cases import Case, CaseResult, Evidence, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.trace.records import RankRecord

TASK = """\
Every rank has computed the features of its part of a batch. Return, on every rank, the chunks of
all ranks joined along dim 0, in rank order. They have the same shape everywhere, and at least one
dimension.

* One all_gather, in any of its forms for tensors.
"""

HINTS = (
    "`dist.all_gather` wants a list of tensors to receive into, one for each rank.",
    "`torch.cat` joins along a dimension, `torch.stack` makes a new one.",
    "`dist.all_gather_single(output, input)` writes the chunks one after the other into one "
    "tensor. Its older name is `all_gather_into_tensor`.",
)


def rules() -> SourceRules:
    """An all_gather, and nothing else."""
    from ringlab.grading.source import ALL_GATHER, SourceRules

    return SourceRules(
        name="gather_features",
        kind="function",
        parameters=("local_feature",),
        allowed_communication=ALL_GATHER | {"torch.distributed._coalescing_manager"},
        required_communication=((ALL_GATHER,),),
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Shapes of one to three dimensions."""
    from ringlab.grading.cases import pick

    shapes: dict[str, list[tuple[int, ...]]] = {
        own_words.GROUP_SIZES: [(pick(generator, 5, 40),), (1,), (pick(generator, 3000, 6000),)],
        own_words.GROUP_ODD_SHAPES: [(4, 5), (1, 6), (2, 3, 5)],
        words.GROUP_EMPTY: [(0,), (0, 3)],
    }
    return usual_cases(world_size, generator, _judge, shapes, watched=None)


def _chunks(case: Case) -> list[Tensor]:
    return [arguments[0] for arguments in case.arguments]


def _judge(case: Case, results: list[CaseResult]) -> Problem | None:
    import torch

    from ringlab.grading.cases import new_tensor

    joined = torch.cat(_chunks(case))
    # One rank's result may be its own tensor: nothing asks for a copy.
    return new_tensor(case, results, [joined] * case.world_size, fresh=False)


def traffic() -> Traffic:
    """One all_gather."""
    from ringlab.grading.traffic import Traffic

    return Traffic(
        operations=frozenset({"all_gather", "all_gather_coalesced"}),
        allowed=own_words.ONE_ALL_GATHER,
        rules=(
            (own_words.TRAFFIC_COUNT, _one_all_gather),
            (own_words.TRAFFIC_ELEMENTS, _the_chunk_alone),
        ),
    )


def _one_all_gather(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem
    from ringlab.grading.prices import called, collectives

    for record in records:
        found = collectives(record)
        if sum(map(len, found.values())) > 1:
            text = own_words.GATHER_CALLS.format(rank=record.rank, calls=called(found))
            yield Problem(text, record.rank)


def _the_chunk_alone(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    """Each rank's chunk and a little padding; the same bytes may go in another dtype."""
    from ringlab.grading.prices import collectives
    from ringlab.grading.traffic import padded

    (chunk,) = case.tensors
    yield from too_many_elements(
        (call, call.nbytes // chunk.element_size(), padded(chunk.numel()))
        for record in records
        for calls in collectives(record).values()
        for call in calls
    )


def _shaped_otherwise(evidence: Evidence) -> str | None:
    """The right elements, in another shape or order."""
    import torch

    case, results = evidence.case, evidence.results
    if results is None or not isinstance(results[0].returned, torch.Tensor):
        return None
    chunks, got = _chunks(case), results[0].returned
    if not chunks[0].numel() or _same(torch.cat(chunks), got):
        return None
    for dim in range(1, chunks[0].dim()):
        if _same(torch.cat(chunks, dim), got):
            return own_words.JOINED_ELSEWHERE.format(dim=dim)
    if _same(torch.stack(chunks), got):
        return own_words.STACKED
    if _same(torch.cat(chunks).reshape(-1), got):
        return own_words.FLATTENED
    return None


def _order(evidence: Evidence) -> str | None:
    """The chunks are there, but not in rank order."""
    import torch

    case, results = evidence.case, evidence.results
    if results is None or case.world_size < 2 or not case.tensors[0].numel():
        return None
    chunks, got = _chunks(case), results[0].returned
    if not isinstance(got, torch.Tensor) or got.shape != torch.cat(chunks).shape:
        return None
    order = []
    for part in got.chunk(case.world_size):
        order += [rank for rank, chunk in enumerate(chunks) if torch.equal(chunk, part)][:1]
    if len(order) != case.world_size or order == list(range(case.world_size)):
        return None
    if len(set(order)) == 1:
        return own_words.ALL_SAME_CHUNK.format(rank=order[0])
    return own_words.OTHER_ORDER.format(order=", ".join(map(str, order)))


def _same(wanted: Tensor, got: Tensor) -> bool:
    import torch

    return wanted.dtype == got.dtype and torch.equal(wanted, got)


EXERCISE = Exercise(
    id="gather_features",
    lesson=1,
    points=5,
    title="Everybody's features",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 2, 1, (6, 7)),
    cases=cases,
    traffic=traffic,
    mistakes=(Mistake("another shape", _shaped_otherwise), Mistake("another order", _order)),
    collective=None,
)
