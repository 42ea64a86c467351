"""The table that prices every collective."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ringlab.grading.prices import crossing, once, sent
from ringlab.trace.records import Operation, RankRecord

M = 120
COLLECTIVES = [
    "all_reduce",
    "reduce_scatter",
    "all_gather",
    "all_to_all",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
]


def on(rank: int, name: str, group: tuple[int, ...], root: int | None = None) -> Operation:
    return Operation(0, name, rank, group, root=root, nbytes=M)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("name", COLLECTIVES)
def test_with_a_rank_a_node_everything_that_is_sent_crosses(name: str, size: int) -> None:
    group = tuple(range(size))
    root = size - 1
    records = [RankRecord(rank, [on(rank, name, group, root)]) for rank in group]
    each = [sent(operation) for record in records for operation in record.operations]
    assert sum(each) == sum(crossing(operation, 1) for operation in once(records))


@pytest.mark.parametrize("name", COLLECTIVES)
def test_nothing_crosses_inside_one_node(name: str) -> None:
    assert crossing(on(4, name, (4, 5, 7), root=5), 4) == 0


def test_an_all_to_all_costs_what_each_member_puts_in() -> None:
    group = (0, 1, 2, 3)
    records = [
        RankRecord(rank, [Operation(0, "all_to_all", rank, group, nbytes=rank * M)])
        for rank in group
    ]
    crosses = [crossing(operation, 2) for operation in once(records)]
    assert crosses == [0, M / 2, M, 3 * M / 2]


def test_rings_cross_as_often_as_there_are_nodes() -> None:
    group = tuple(range(6))
    assert crossing(on(0, "all_reduce", group), 2) == 3 * 2 * Fraction(5, 6) * M
    assert crossing(on(0, "all_gather", group), 3) == 2 * 5 * M
    assert crossing(on(0, "broadcast", group, 0), 2) == 2 * M
    assert crossing(on(0, "reduce", group, 0), 2) == 2 * M


def test_a_coalesced_collective_costs_what_it_carries() -> None:
    group = (0, 1, 2)
    assert sent(on(1, "all_reduce_coalesced", group)) == sent(on(1, "all_reduce", group))


def test_a_message_crosses_between_nodes_alone() -> None:
    inside = Operation(0, "send", 0, (0, 1, 2, 3), peer=1, nbytes=M)
    between = Operation(0, "send", 1, (0, 1, 2, 3), peer=2, nbytes=M)
    assert crossing(inside, 2) == 0
    assert crossing(between, 2) == M


def test_an_operation_without_a_price_is_not_free() -> None:
    with pytest.raises(KeyError):
        sent(on(0, "something_new", (0, 1)))


def test_a_collective_counts_once_and_by_the_rank_that_knows_its_bytes() -> None:
    group = (0, 1, 2)
    records = [
        RankRecord(
            rank,
            [
                on(rank, "all_reduce", group),
                on(rank, "scatter", group, root=2),
                Operation(2, "recv", rank, group, peer=0, nbytes=M),
                Operation(3, "barrier", rank, group),
                Operation(4, "new_group", rank, group),
            ],
        )
        for rank in group
    ]
    assert [(o.name, o.rank) for o in once(records)] == [("all_reduce", 0), ("scatter", 2)]
