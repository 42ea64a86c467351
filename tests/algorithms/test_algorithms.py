"""Every algorithm, on any number of ranks and chunks of any size, does what it is for."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlab import algorithms
from ringlab.schedule import Schedule, find_faults, goal, initial, simulate, simulate_numbers

ALL_REDUCES = (
    "central",
    "double_binary_tree",
    "halving_doubling",
    "hierarchical",
    "recursive_doubling",
    "ring",
    "tree",
)
ROOTED = ("broadcast", "gather", "reduce", "scatter")
PRIMITIVES = (*ROOTED, "all_gather", "all_to_all", "reduce_scatter")
EVERY = (*ALL_REDUCES, *PRIMITIVES)
LARGEST = 64
LARGEST_ALL_TO_ALL = 12
"""It has a chunk for each pair of ranks, and each chunk a count for each rank."""


def largest(name: str) -> int:
    return LARGEST_ALL_TO_ALL if name == "all_to_all" else LARGEST


def chunks_needed(name: str, size: int) -> int:
    """Chunks of which there must be as many, or a multiple."""
    if name in (
        "broadcast",
        "reduce",
        "central",
        "double_binary_tree",
        "recursive_doubling",
        "tree",
    ):
        return 1
    if name == "halving_doubling":
        return 1 << (size.bit_length() - 1)
    return size**2 if name == "all_to_all" else size


@st.composite
def schedules(draw: st.DrawFn, name: str, most: int = LARGEST) -> Schedule:
    size = draw(st.integers(1, min(most, largest(name))))
    count = chunks_needed(name, size)
    if count < 6 and name != "ring":
        count *= draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    options: dict[str, int] = {}
    if name in ROOTED or name in ("central", "tree"):
        options["root"] = draw(st.integers(0, size - 1))
    if name == "hierarchical":
        divisors = [d for d in range(1, size + 1) if size % d == 0]
        options["ranks_per_node"] = draw(st.sampled_from(divisors))
    return algorithms.get(name)(size, sizes, **options)


def ends_right_in_numbers(schedule: Schedule) -> bool:
    """By other means than the laws: numbers from which no wrong sum comes out right."""
    ranks, chunks = range(schedule.world_size), range(schedule.chunk_count)
    parts = [[(1 << (7 * rank)) * (chunk + 1) for chunk in chunks] for rank in ranks]

    def value(counts: tuple[int, ...], chunk: int) -> int:
        return sum(count * parts[rank][chunk] for rank, count in enumerate(counts) if count)

    starts = [[value(c.counts, i) for i, c in enumerate(row)] for row in initial(schedule)]
    ends = simulate_numbers(schedule, starts)
    return all(
        wanted is None or ends[rank][chunk] == value(wanted, chunk)
        for rank, row in enumerate(goal(schedule))
        for chunk, wanted in enumerate(row)
    )


def crowded(schedule: Schedule) -> Iterator[int]:
    """Steps in which some rank sends, or receives, more than one message."""
    for index, step in enumerate(schedule.steps):
        senders, receivers = {t.src for t in step.transfers}, {t.dst for t in step.transfers}
        if len(senders) < len(step.transfers) or len(receivers) < len(step.transfers):
            yield index


def test_every_algorithm_is_found() -> None:
    assert set(EVERY) <= set(algorithms.names())
    for name in PRIMITIVES:
        assert algorithms.get(name)(3).collective == name
    for name in ALL_REDUCES:
        assert algorithms.get(name)(3).collective == "all_reduce"


@pytest.mark.parametrize("name", EVERY)
@given(st.data())
@settings(max_examples=12, deadline=None)
def test_no_law_is_broken_at_any_world_size(name: str, data: st.DataObject) -> None:
    schedule = data.draw(schedules(name))
    assert find_faults(schedule) == []
    assert ends_right_in_numbers(schedule)


@pytest.mark.parametrize("name", EVERY)
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_no_law_is_broken_on_few_ranks(name: str, data: st.DataObject) -> None:
    schedule = data.draw(schedules(name, most=9))
    assert find_faults(schedule) == []
    assert ends_right_in_numbers(schedule)


@pytest.mark.parametrize("name", EVERY)
def test_no_rank_sends_or_receives_two_messages_at_once_and_no_step_is_idle(name: str) -> None:
    for size in range(1, largest(name) + 1):
        schedule = algorithms.get(name)(size)
        assert not list(crowded(schedule)), size
        assert all(step.transfers and step.phase for step in schedule.steps)
        assert all(transfer.chunks for transfer in schedule.transfers)
        assert bool(schedule.steps) == (size > 1)


@pytest.mark.parametrize("name", EVERY)
def test_chunks_left_to_the_algorithm_are_of_equal_size(name: str) -> None:
    for size in range(1, largest(name) + 1):
        schedule = algorithms.get(name)(size)
        assert len(set(schedule.chunk_sizes)) == 1
        assert name in PRIMITIVES or schedule.elements == size << 18


@pytest.mark.parametrize("name", EVERY)
def test_without_its_last_message_it_would_be_wrong(name: str) -> None:
    """Nothing is sent that is not needed: a check of these very tests."""
    for size in (2, 3, 6, 8, 11):
        whole = algorithms.get(name)(size)
        last = whole.steps[-1]
        cut = type(last)(last.transfers[:-1], last.phase)
        short = Schedule(
            "cut", size, whole.chunk_sizes, (*whole.steps[:-1], cut), whole.collective, whole.root
        )
        assert find_faults(short) and not ends_right_in_numbers(short)


@pytest.mark.parametrize("name", ROOTED)
def test_a_root_that_is_no_rank_is_refused(name: str) -> None:
    for root in (-1, 4):
        with pytest.raises(ValueError, match=f"from 0 to 3, not {root}"):
            algorithms.get(name)(4, root=root)
        with pytest.raises(ValueError, match=f"from 0 to 3, not {root}"):
            algorithms.tree(4, root=root)


@pytest.mark.parametrize("name", EVERY)
def test_no_ranks_and_too_few_chunks_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="at least 1 rank, not 0"):
        algorithms.get(name)(0)
    needed = chunks_needed(name, 5)
    if needed > 1:
        with pytest.raises(ValueError, match="chunks"):
            algorithms.get(name)(5, (1,) * (needed - 1))


def test_phases_say_what_happens() -> None:
    def phases(schedule: Schedule) -> list[str]:
        return list(dict.fromkeys(step.phase for step in schedule.steps))

    assert phases(algorithms.tree(5)) == ["reduce", "broadcast"]
    assert phases(algorithms.double_binary_tree(5)) == ["reduce", "broadcast"]
    assert phases(algorithms.recursive_doubling(8)) == ["exchange"]
    assert phases(algorithms.recursive_doubling(5)) == ["fold in", "exchange", "fold out"]
    assert phases(algorithms.halving_doubling(4)) == ["reduce-scatter", "all-gather"]
    assert phases(algorithms.halving_doubling(6))[::3] == ["fold in", "fold out"]
    assert phases(algorithms.hierarchical(8, ranks_per_node=4)) == [
        "reduce-scatter inside nodes",
        "reduce-scatter between nodes",
        "all-gather between nodes",
        "all-gather inside nodes",
    ]


def test_a_tree_asks_each_rank_to_know_few_others() -> None:
    for size in range(1, LARGEST + 1):
        rounds = math.ceil(math.log2(size))
        for root in {0, size // 3, size - 1}:
            schedule = algorithms.tree(size, root=root)
            assert schedule.messages == 2 * (size - 1)
            assert len(schedule.steps) == 2 * rounds
            assert all(len(schedule.peers(rank)) <= rounds for rank in range(size))
            assert len(schedule.peers(root)) == rounds


@pytest.mark.parametrize("name", ["broadcast", "reduce", "scatter", "gather"])
def test_every_rank_but_the_root_is_served_once(name: str) -> None:
    for size in range(1, LARGEST + 1):
        schedule = algorithms.get(name)(size, root=size // 2)
        assert schedule.messages == size - 1
        ends = {t.dst if name in ("broadcast", "scatter") else t.src for t in schedule.transfers}
        assert ends == set(range(size)) - {size // 2}


def test_rings_and_halves_send_no_more_than_the_least_possible() -> None:
    for size in range(1, LARGEST + 1):
        for name in ("ring", "hierarchical", "all_gather", "reduce_scatter"):
            schedule = algorithms.get(name)(size)
            assert schedule.busiest_bytes() == pytest.approx(schedule.least_bytes())
        if size & (size - 1) == 0:
            schedule = algorithms.halving_doubling(size)
            assert schedule.busiest_bytes() == pytest.approx(schedule.least_bytes())


def test_between_nodes_the_hierarchy_sends_no_more_than_its_budget() -> None:
    for size in range(2, LARGEST + 1):
        for per_node in (d for d in range(1, size + 1) if size % d == 0):
            nodes = size // per_node
            schedule = algorithms.hierarchical(size, (3,) * size, ranks_per_node=per_node)
            crossing = [
                4 * schedule.elements_in(t)
                for t in schedule.transfers
                if t.src // per_node != t.dst // per_node
            ]
            assert sum(crossing) == 2 * (nodes - 1) * 4 * schedule.elements
            assert len(schedule.steps) == 2 * (per_node - 1) + 2 * (nodes - 1)


def test_nodes_that_the_ranks_do_not_fill_are_refused() -> None:
    for per_node in (0, -2, 4, 12):
        with pytest.raises(ValueError, match=f"nodes of {per_node}: .* a multiple"):
            algorithms.hierarchical(6, ranks_per_node=per_node)


@pytest.mark.parametrize(
    ("size", "per_node"),
    [(1, 1), (2, 1), (4, 2), (6, 3), (7, 1), (8, 4), (16, 8), (48, 8), (64, 8)],
)
def test_without_being_told_nodes_are_as_large_as_usual_ones(size: int, per_node: int) -> None:
    told = algorithms.hierarchical(size, ranks_per_node=per_node)
    assert algorithms.hierarchical(size) == told


def test_a_rank_has_children_in_one_of_the_two_trees_at_most() -> None:
    for size in range(2, 130):
        schedule = algorithms.double_binary_tree(size, blocks=1)
        parents: list[dict[int, int]] = [{}, {}]
        for transfer in schedule.transfers:
            if not transfer.reduce:
                parents[transfer.chunks[0]][transfer.dst] = transfer.src
        assert [len(tree) for tree in parents] == [size - 1, size - 1]
        assert not set(parents[0].values()) & set(parents[1].values())
        for tree in parents:
            assert all(list(tree.values()).count(parent) <= 2 for parent in tree.values())


def test_two_trees_are_as_quick_as_their_paper_says() -> None:
    """Two steps a level at most, and two for each further block."""
    for size in range(2, 130):
        for blocks in (1, 2, 7):
            schedule = algorithms.double_binary_tree(size, blocks=blocks)
            assert len(schedule.steps) <= 2 * (2 * math.floor(math.log2(size)) + 2 * (blocks - 1))


def test_a_tree_alone_carries_a_tensor_that_can_not_be_halved() -> None:
    for size in range(2, 20):
        schedule = algorithms.double_binary_tree(size, (7,))
        assert all(step.transfers for step in schedule.steps)
        assert simulate(schedule).is_right
    with pytest.raises(ValueError, match="at least 1 block, not 0"):
        algorithms.double_binary_tree(4, blocks=0)


def test_every_block_of_an_all_to_all_goes_straight_to_its_rank() -> None:
    """Each of the N(N-1) blocks once, from its owner to its rank: that needs no simulation."""
    for size in range(1, LARGEST + 1):
        schedule = algorithms.all_to_all(size, (1,) * size**2)
        blocks = {chunk: (t.src, t.dst) for t in schedule.transfers for chunk in t.chunks}
        assert schedule.messages == len(blocks) == size * (size - 1)
        assert all(block == src * size + dst for block, (src, dst) in blocks.items())


def test_the_largest_messages_of_halving_go_to_the_nearest_rank() -> None:
    for size in [4, 6, 8]:
        schedule = algorithms.halving_doubling(size)
        halves = [step for step in schedule.steps if step.phase == "reduce-scatter"]
        carried = [schedule.elements_in(step.transfers[0]) for step in halves]
        assert carried == [schedule.elements >> (k + 1) for k in range(len(halves))]
        near, far = halves[0].transfers[-1], halves[-1].transfers[-1]
        assert abs(near.src - near.dst) < abs(far.src - far.dst)
