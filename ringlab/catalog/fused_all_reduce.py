"""Lesson 06: many tensors, one message for each dtype."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import gaps_lost, mean_instead_of_sum, not_copied_back
from ringlab.catalog.shared import ALL_LISTS_UP_TO, too_many_elements
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from ringlab.grading.cases import Case, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.trace.records import RankRecord

TASK = """\
Sum every tensor of a list over the ranks, in place, with one all_reduce for each dtype in the list:
copy the tensors into one, reduce that, copy back.

* Exactly one all_reduce for each dtype; for a dtype of which all tensors are empty, one or none. It
  takes as many elements as the list has of that dtype, padded to a multiple of 64 if you like.
* The list may mix dtypes and may be empty. Tensors may be empty, of no dimension, or not
  contiguous. On every rank the list has the same shapes and dtypes in the same order.
* Tensors on different devices: `ValueError`, before anything is sent.
"""

HINTS = (
    "First sort the tensors by dtype, keeping their order: a dict of lists.",
    "`torch.cat([t.reshape(-1) for t in group])` is the fused tensor, a copy. "
    "`flat.split([t.numel() for t in group])` cuts it again.",
    "`t.copy_(part.view_as(t))` writes into the tensor itself, whatever its layout. For a tensor "
    "that is not contiguous `t.view(-1)` fails and `t.reshape(-1)` is a copy.",
)


def rules() -> SourceRules:
    """An all_reduce, and nothing else."""
    from ringlab.grading.source import ALL_REDUCE, SourceRules

    return SourceRules(
        name="fused_all_reduce",
        kind="function",
        parameters=("tensors",),
        allowed_communication=ALL_REDUCE | {"torch.distributed._coalescing_manager"},
        required_communication=((ALL_REDUCE,),),
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Lists of every kind."""
    import torch

    from ringlab.grading.cases import (
        Layout,
        late_ranks,
        list_case,
        pick,
        sum_over_ranks,
        two_devices_case,
    )

    single, double = torch.float32, torch.float64
    half, whole = torch.bfloat16, torch.int64
    mixed = [
        Layout((3,)),
        Layout((2, 2), whole),
        Layout((5,), half),
        Layout((1,)),
        Layout((4,), double),
        Layout((), whole),
        Layout((7,), half),
    ]
    lists: dict[str, list[list[Layout]]] = {
        own_words.GROUP_ONE_DTYPE: [
            *([Layout((3,), each), Layout((5,), each)] for each in (single, double, half, whole)),
            [Layout((4,))],
        ],
        own_words.GROUP_MIXED: [mixed],
        own_words.GROUP_ODD_SHAPES: [[Layout(()), Layout((2, 3)), Layout((1, 2, 2)), Layout(())]],
        own_words.GROUP_GAPS: [
            [Layout((3, 4), gaps="transposed"), Layout((5,)), Layout((2, 3), gaps="strided")],
            [Layout((4, 4), whole, gaps="transposed"), Layout((4,), single, gaps="strided")],
            [Layout((2, 3, 2), gaps="transposed"), Layout((2, 1, 3), half, gaps="strided")],
        ],
        own_words.GROUP_NO_ELEMENTS: [
            [],
            [Layout((0,)), Layout((2, 0))],
            [Layout((0,)), Layout((3,)), Layout((0, 4), half)],
        ],
        own_words.GROUP_MANY: [[Layout((1 + i % 7, 3)) for i in range(pick(generator, 61, 80))]],
    }
    if world_size > ALL_LISTS_UP_TO:
        lists = {own_words.GROUP_MIXED: [mixed]}
    found = [
        list_case(world_size, generator, sum_over_ranks, group, layouts)
        for group, rows in lists.items()
        for layouts in rows
    ]
    if world_size > ALL_LISTS_UP_TO:
        return found
    plain = [Layout((3,)), Layout((2,))]
    own = list_case(world_size, generator, sum_over_ranks, own_words.GROUP_ONE_DTYPE, plain)
    return [*found, two_devices_case(own)] + [
        list_case(world_size, generator, sum_over_ranks, words.GROUP_DELAYED, mixed, delays=delays)
        for delays in late_ranks(world_size)
    ]


def traffic() -> Traffic:
    """One all_reduce for each dtype."""
    from ringlab.grading.traffic import Traffic

    return Traffic(
        operations=frozenset({"all_reduce", "all_reduce_coalesced"}),
        allowed=own_words.ALL_REDUCE_ONLY,
        rules=(
            (own_words.TRAFFIC_COUNT, _one_for_each_dtype),
            (own_words.TRAFFIC_ELEMENTS, _the_tensors_alone),
        ),
    )


def _one_for_each_dtype(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem, name_of
    from ringlab.grading.prices import kind

    by_dtype: dict[str, list[torch.Tensor]] = {}
    for tensor in case.tensors:
        by_dtype.setdefault(name_of(tensor.dtype), []).append(tensor)
    for record in records:
        calls = [o for o in record.operations if kind(o) == "all_reduce"]
        for call in calls:
            if call.dtype not in by_dtype:
                text = own_words.FUSED_OTHER.format(
                    rank=record.rank, dtype=call.dtype, line=call.line
                )
                yield Problem(text, record.rank, call.line)
        for dtype, tensors in by_dtype.items():
            count = sum(call.dtype == dtype for call in calls)
            # Where there is nothing to tell anyone, nothing need be sent.
            quiet = case.world_size == 1 or not any(tensor.numel() for tensor in tensors)
            if count > 1:
                text = own_words.FUSED_CALLS.format(
                    rank=record.rank, count=count, tensors=len(tensors), dtype=dtype
                )
                yield Problem(text, record.rank, calls[-1].line)
            elif count == 0 and not quiet:
                text = own_words.FUSED_NEVER.format(
                    rank=record.rank, dtype=dtype, tensors=len(tensors)
                )
                yield Problem(text, record.rank)


def _the_tensors_alone(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import name_of
    from ringlab.grading.prices import collectives
    from ringlab.grading.traffic import padded

    elements = Counter[str]()
    for tensor in case.tensors:
        elements[name_of(tensor.dtype)] += tensor.numel()
    yield from too_many_elements(
        (call, call.numel, padded(elements[call.dtype]))
        for record in records
        for calls in collectives(record).values()
        for call in calls
    )


EXERCISE = Exercise(
    id="fused_all_reduce",
    lesson=6,
    points=8,
    title="One message for many tensors",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(3, 2, 1, (4, 5, 6)),
    cases=cases,
    traffic=traffic,
    mistakes=(
        Mistake("not copied back", not_copied_back),
        Mistake("a mean", mean_instead_of_sum),
        Mistake("copies of tensors with gaps", gaps_lost),
    ),
    collective=None,
)
