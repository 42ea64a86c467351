"""Lesson 06: fused, but not without bound."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import mean_instead_of_sum, not_copied_back
from ringlab.catalog.shared import ALL_LISTS_UP_TO
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from ringlab.grading.cases import Case, Evidence, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.trace.records import Operation, RankRecord

TASK = """\
Fusing everything costs as much memory again as the tensors have. Sum every tensor of a list over
the ranks, in place, in buckets: filled in list order, one dtype a bucket, one all_reduce a bucket.

* No bucket holds more than `bucket_bytes` bytes, unless it is a single tensor that is larger.
* No more buckets than needed: close one when the next tensor does not fit any more, and at each
  change of dtype. One open bucket for each dtype is fine too. Empty tensors need no bucket.
* Memory beside the tensors: at most two buckets, or twice the largest tensor.
* `bucket_bytes` of 0 or less, or tensors on different devices: `ValueError`, before anything is
  sent.
"""

HINTS = (
    "A bucket is a list of tensors and the bytes in it. Ask before you put one more in: does it "
    "still fit?",
    "A tensor has `numel() * element_size()` bytes. A bucket may be filled to the last byte.",
    "What is in the last bucket when the list ends must be sent too. Then let go of a bucket's "
    "fused tensor before you fill the next but one.",
)


def rules() -> SourceRules:
    """An all_reduce, and nothing else."""
    from ringlab.grading.source import ALL_REDUCE, SourceRules

    return SourceRules(
        name="bucketed_all_reduce",
        kind="function",
        parameters=("tensors", "bucket_bytes"),
        allowed_communication=ALL_REDUCE | {"torch.distributed._coalescing_manager"},
        required_communication=((ALL_REDUCE,),),
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Lists and bucket sizes at which a bucket that is a byte off shows."""
    import torch

    from ringlab.grading.cases import (
        Layout,
        late_ranks,
        list_case,
        pick,
        refused_case,
        sum_over_ranks,
        two_devices_case,
    )

    single, double = torch.float32, torch.float64
    half, whole = torch.bfloat16, torch.int64

    def row(*sizes: int, dtype: torch.dtype = single) -> list[Layout]:
        return [Layout((size,), dtype) for size in sizes]

    mixed = [
        *row(2, 1),
        *row(2, dtype=whole),
        *row(1, 1, 3),
        *row(5, 4, 3, dtype=half),
        *row(2),
        *row(1, 1, 1, dtype=double),
        *row(1, 1, dtype=whole),
        *row(1, dtype=double),
    ]
    lists: dict[str, list[tuple[list[Layout], int]]] = {
        own_words.GROUP_ONE_DTYPE: [
            (row(3, 2, 1, 2), 16),
            (row(3, 2, 1, 2, dtype=double), 32),
            (row(3, 2, 1, 2, dtype=half), 8),
            (row(3, 2, 1, 2, dtype=whole), 1000),
        ],
        own_words.GROUP_FULL: [
            (row(2, 2, 2, 2), 16),
            (row(2, 2, 2, 2, dtype=half), 8),
            (row(2, 2, 2, 2), 15),
            (row(3, 2, 1, 2, dtype=half), 10),
            (row(2, 1, 2, 2, 1), 16),
        ],
        own_words.GROUP_OVERSIZE: [
            (row(1, 10, 1, 2), 16),
            (row(3, 1, 2), 1),
            (row(9), 8),
            (row(10, 2, 2, 2, 2, 2), 16),
            (row(2, 2, 2, 2, 2, 10), 16),
        ],
        own_words.GROUP_MIXED: [(mixed, 16), (mixed, 1 << 20)],
        own_words.GROUP_ODD_SHAPES: [([Layout(()), Layout((2, 3)), Layout((1, 2, 2))], 28)],
        own_words.GROUP_NO_ELEMENTS: [
            ([], 16),
            (row(0, 0), 16),
            ([*row(2, 0), *row(0, dtype=half), *row(2)], 16),
        ],
        own_words.GROUP_MANY: [
            (row(*[4096] * 14), 32768),
            (row(*range(1, pick(generator, 41, 50))), 200),
        ],
    }
    many = world_size > ALL_LISTS_UP_TO
    if many:
        lists = {own_words.GROUP_MIXED: [(mixed, 16)]}
    found = [
        list_case(world_size, generator, sum_over_ranks, group, layouts, more={"bucket_bytes": cap})
        for group, rows in lists.items()
        for layouts, cap in rows
    ]
    if many:
        return found
    found += [
        refused_case(
            list_case(
                world_size,
                generator,
                sum_over_ranks,
                own_words.GROUP_ONE_DTYPE,
                row(3, 2),
                more={"bucket_bytes": cap},
            ),
            own_words.NO_CAP.format(bucket_bytes=cap),
        )
        for cap in (0, -16)
    ]
    found.append(
        two_devices_case(
            list_case(
                world_size,
                generator,
                sum_over_ranks,
                own_words.GROUP_ONE_DTYPE,
                row(3, 2),
                more={"bucket_bytes": 1000},
            )
        )
    )
    return found + [
        list_case(
            world_size,
            generator,
            sum_over_ranks,
            words.GROUP_DELAYED,
            mixed,
            more={"bucket_bytes": 16},
            delays=delays,
        )
        for delays in late_ranks(world_size)
    ]


def traffic() -> Traffic:
    """What is in a bucket, how many there are, and what they take."""
    from ringlab.grading.traffic import Traffic

    return Traffic(
        operations=frozenset({"all_reduce", "all_reduce_coalesced"}),
        allowed=own_words.ALL_REDUCE_ONLY,
        rules=(
            (own_words.TRAFFIC_CAP, _under_the_cap),
            (own_words.TRAFFIC_BUCKETS, _few_buckets),
            (own_words.TRAFFIC_ORDER, _in_list_order),
            (words.TRAFFIC_MEMORY, _two_buckets),
        ),
    )


def _buckets(record: RankRecord) -> list[Operation]:
    from ringlab.grading.prices import kind

    return [o for o in record.operations if kind(o) == "all_reduce" and o.nbytes]


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _under_the_cap(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem, name_of

    cap = case.arguments[0][1]
    larger = Counter(
        (name_of(tensor.dtype), _bytes(tensor)) for tensor in case.tensors if _bytes(tensor) > cap
    )
    for record in records:
        left = larger.copy()
        for bucket in _buckets(record):
            if bucket.nbytes <= cap:
                continue
            left[bucket.dtype, bucket.nbytes] -= 1
            if left[bucket.dtype, bucket.nbytes] < 0:
                text = own_words.ABOVE_CAP.format(
                    rank=record.rank, got=bucket.nbytes, line=bucket.line, cap=cap
                )
                yield Problem(text, record.rank, bucket.line)


def _fewest(tensors: list[torch.Tensor], cap: int) -> int:
    """Buckets that are needed with one open bucket. An empty tensor may close it by its dtype."""
    count, room, dtype = 0, 0, None
    for tensor in tensors:
        if tensor.dtype != dtype:
            room = 0
        if _bytes(tensor) > room:
            count, room = count + 1, max(cap, _bytes(tensor))
        room -= _bytes(tensor)
        dtype = tensor.dtype
    return count


def _few_buckets(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem

    most = _fewest(case.tensors, case.arguments[0][1])
    for record in records:
        count = len(_buckets(record))
        if count > most:
            text = own_words.TOO_MANY_BUCKETS.format(rank=record.rank, count=count, most=most)
            yield Problem(text, record.rank)


def _in_list_order(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    """In each dtype the buckets must be able to hold its tensors one after the other.

    A bucket may be padded, and one for a larger tensor may be sent while another is open.
    """
    from ringlab.grading.cases import Problem, name_of

    cap = case.arguments[0][1]
    for dtype in dict.fromkeys(name_of(tensor.dtype) for tensor in case.tensors):
        mine = [t for t in case.tensors if name_of(t.dtype) == dtype and t.numel()]
        sizes = [t.numel() for t in mine if _bytes(t) <= cap]
        wanted = sum(t.numel() for t in mine)
        for record in records:
            buckets = [each for each in _buckets(record) if each.dtype == dtype]
            if not _buckets(record):
                continue
            got = sum(each.numel for each in buckets)
            if got < wanted:
                text = own_words.BUCKET_OTHER_DTYPE.format(
                    rank=record.rank, dtype=dtype, wanted=wanted, got=got
                )
                yield Problem(text, record.rank)
            rooms = [each.numel for each in buckets if each.nbytes <= cap]
            fits = _fills(rooms, sizes) or _sent_backwards(rooms, case.tensors, dtype, cap)
            if rooms and not fits:
                text = own_words.NOT_IN_ORDER.format(
                    rank=record.rank, dtype=dtype, sizes=_row(rooms), tensors=_row(sizes)
                )
                yield Problem(text, record.rank)


def _fills(rooms: list[int], sizes: list[int]) -> bool:
    """Whether the sizes fit into the rooms one after the other."""
    left = list(sizes)
    for room in rooms:
        while left and left[0] <= room:
            room -= left.pop(0)
    return not left


def _sent_backwards(rooms: list[int], tensors: list[torch.Tensor], dtype: str, cap: int) -> bool:
    """Whether buckets that are full in list order are sent from the last to the first.

    Filled from the back they look alike, but for one that is closed although the next tensor fits.
    """
    from ringlab.grading.cases import name_of

    left, used, may_close = rooms[::-1], 0, False
    for tensor in (each for each in tensors if each.numel()):
        if name_of(tensor.dtype) != dtype or _bytes(tensor) > cap:
            may_close = True
            continue
        if left and used == left[0]:
            fits = used * tensor.element_size() + _bytes(tensor) <= cap
            if fits and not may_close:
                return False
            left, used = left[1:], 0
        if not left or used + tensor.numel() > left[0]:
            return False
        used, may_close = used + tensor.numel(), False
    return left == ([used] if used else [])


def _row(numbers: list[int]) -> str:
    text = ", ".join(map(str, numbers[:12]))
    return text + ", ..." if len(numbers) > 12 else text


def _two_buckets(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem
    from ringlab.grading.traffic import MEMORY_SLACK_BYTES

    cap = case.arguments[0][1]
    most = 2 * max([cap, *map(_bytes, case.tensors)])
    for record in records:
        got = record.peak_bytes or 0
        # One more may still be in the hands of the backend, or of a name that is assigned anew.
        if got > most * 3 // 2 + MEMORY_SLACK_BYTES:
            text = own_words.BUCKET_MEMORY.format(rank=record.rank, got=got, most=most)
            yield Problem(text, record.rank)


def _cap_in_elements(evidence: Evidence) -> str | None:
    """Buckets above the cap in bytes that keep to it in elements."""
    cap = evidence.case.arguments[0][1]
    buckets = [bucket for record in evidence.records for bucket in _buckets(record)]
    above = [bucket for bucket in buckets if bucket.nbytes > cap]
    if len(above) < 2 or any(bucket.numel > cap for bucket in buckets):
        return None
    sizes = {tensor.numel() for tensor in evidence.case.tensors}
    return own_words.CAP_IN_ELEMENTS if any(b.numel not in sizes for b in above) else None


def _closed_early(evidence: Evidence) -> str | None:
    """More buckets than needed, as many as with a cap of one byte less."""
    case = evidence.case
    cap, tensors = case.arguments[0][1], case.tensors
    count = len(_buckets(evidence.records[0]))
    early = _fewest(tensors, cap - 1) if cap > 1 else 0
    return own_words.CLOSED_EARLY if count == early > _fewest(tensors, cap) else None


EXERCISE = Exercise(
    id="bucketed_all_reduce",
    lesson=6,
    points=10,
    title="Buckets",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(2, 3, 1, (4, 5, 6)),
    cases=cases,
    traffic=traffic,
    mistakes=(
        Mistake("not copied back", not_copied_back),
        Mistake("a mean", mean_instead_of_sum),
        Mistake("a cap in elements", _cap_in_elements),
        Mistake("closed a byte early", _closed_early),
    ),
    collective=None,
)
