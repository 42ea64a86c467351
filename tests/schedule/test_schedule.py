"""What a schedule counts, and that both simulations tell the same story."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringlab import algorithms
from ringlab.schedule import (
    COLLECTIVES,
    Content,
    Playback,
    Schedule,
    Step,
    Transfer,
    goal,
    initial,
    simulate,
    simulate_numbers,
    split_evenly,
)


@st.composite
def any_schedules(draw: st.DrawFn) -> Schedule:
    """Schedules with no sense in them: only the mechanics can be right."""
    size = draw(st.integers(1, 6))
    chunks = draw(st.integers(1, 5))
    numbers = st.integers(0, chunks - 1)
    transfer = st.builds(
        Transfer,
        src=st.integers(0, size - 1),
        dst=st.integers(0, size - 1),
        chunks=st.lists(numbers, min_size=1, max_size=3, unique=True).map(tuple),
        reduce=st.booleans(),
    )
    steps = draw(st.lists(st.builds(Step, st.lists(transfer, max_size=4).map(tuple)), max_size=6))
    sizes = draw(st.lists(st.integers(0, 4), min_size=chunks, max_size=chunks))
    return Schedule("any", size, tuple(sizes), tuple(steps))


@given(any_schedules(), st.data())
def test_contributions_and_numbers_agree_on_any_schedule(
    schedule: Schedule, data: st.DataObject
) -> None:
    ranks, chunks = range(schedule.world_size), range(schedule.chunk_count)
    number = st.integers(-(10**6), 10**6)
    values = [[data.draw(number) for _ in chunks] for _ in ranks]
    found = simulate_numbers(schedule, values)
    state = simulate(schedule, strict=False).states[-1]
    for rank in ranks:
        for chunk in chunks:
            counts = state[rank][chunk].counts
            assert found[rank][chunk] == sum(n * values[r][chunk] for r, n in enumerate(counts))


@pytest.mark.parametrize("name", ["ring", "central"])
@given(st.data())
def test_an_algorithm_ends_with_the_sum_on_every_rank(name: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 16))
    sizes = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    schedule = algorithms.get(name)(size, sizes)
    values = [
        [data.draw(st.lists(st.integers(-99, 99), min_size=n, max_size=n)) for n in sizes]
        for _ in range(size)
    ]
    sums = [
        [sum(column) for column in zip(*chunk, strict=True)] for chunk in zip(*values, strict=True)
    ]
    assert simulate_numbers(schedule, values) == [sums] * size
    assert simulate(schedule).is_right


@given(st.integers(1, 16), st.integers(-20, 20))
def test_a_ring_sends_the_least_possible_from_every_rank(size: int, first: int) -> None:
    schedule = algorithms.ring(size, (6,) * size, first_chunk=first)
    assert simulate(schedule).is_right
    assert len(schedule.steps) == 2 * (size - 1)
    for rank in range(size):
        assert schedule.bytes_sent_by(rank, 8) == 2 * (size - 1) * 6 * 8
        assert schedule.bytes_sent_by(rank, 8) == schedule.least_bytes(8)
        assert schedule.messages_sent_by(rank) == 2 * (size - 1)
        assert schedule.sends_to(rank) == (((rank + 1) % size,) if size > 1 else ())


def test_the_least_possible_is_rounded_up_to_whole_elements() -> None:
    ring = algorithms.ring(4, (2, 2, 2, 1))
    assert ring.least_bytes(8) == ring.busiest_bytes(8) == 88


@given(st.integers(2, 16))
def test_after_the_reduce_scatter_rank_r_holds_chunk_r_plus_1_complete(size: int) -> None:
    state = simulate(algorithms.ring(size)).states[size - 1]
    for rank in range(size):
        complete = [c for c in range(size) if state[rank][c].counts == (1,) * size]
        assert complete == [(rank + 1) % size]


@given(st.integers(1, 16), st.data())
def test_through_one_rank_the_total_is_the_same_but_not_the_share(
    size: int, data: st.DataObject
) -> None:
    root = data.draw(st.integers(0, size - 1))
    central = algorithms.central(size, root=root)
    ring = algorithms.ring(size)
    assert simulate(central).is_right
    assert central.elements == ring.elements
    assert central.total_bytes() == ring.total_bytes()
    assert central.busiest_bytes() == central.bytes_sent_by(root)
    assert central.bytes_sent_by(root) == (size - 1) * 4 * central.elements
    assert central.bytes_received_by(root) == (size - 1) * 4 * central.elements
    assert all(root in central.peers(rank) for rank in range(size) if rank != root)


@given(any_schedules())
def test_bytes_add_up_however_they_are_counted(schedule: Schedule) -> None:
    ranks, steps = range(schedule.world_size), range(len(schedule.steps))
    sent = [schedule.bytes_sent_by(rank, 2) for rank in ranks]
    assert list(schedule.bytes_sent_before(len(schedule.steps), 2)) == sent
    assert [sum(schedule.bytes_in_step(s, 2)[r] for s in steps) for r in ranks] == sent
    assert sum(sent) == schedule.total_bytes(2)
    assert sum(sent) == sum(schedule.bytes_received_by(rank, 2) for rank in ranks)
    assert schedule.messages_before(len(schedule.steps)) == schedule.messages
    assert schedule.messages == sum(schedule.messages_sent_by(rank) for rank in ranks)


def test_the_messages_of_a_step_carry_what_was_there_before_it() -> None:
    both = Step((Transfer(0, 1, (0,), True), Transfer(1, 0, (0,), True)))
    schedule = Schedule("swap", 2, (1,), (both,))
    assert simulate_numbers(schedule, [[10], [1]]) == [[11], [11]]
    playback = simulate(schedule)
    assert playback.carried == (((Content((1, 0)),), (Content((0, 1)),)),)
    assert playback.states[-1] == ((Content((1, 1)),), (Content((1, 1)),))


def test_numbers_may_be_of_any_kind() -> None:
    ring = algorithms.ring(2)
    thirds = [[Fraction(1, 3), Fraction(1)], [Fraction(2, 3), Fraction(0)]]
    assert simulate_numbers(ring, thirds) == [[1, 1], [1, 1]]


def test_a_chunk_in_the_wrong_place_is_unexplained_and_its_numbers_are_mixed() -> None:
    step = Step((Transfer(0, 1, (0,), True, into=(1,)),))
    schedule = Schedule("wrong", 2, (1, 1), (step,))
    assert simulate(schedule, strict=False).states[-1][1][1].unexplained
    assert simulate_numbers(schedule, [[1, 2], [30, 40]]) == [[1, 2], [30, 41]]


@given(st.integers(0, 1000), st.integers(1, 40))
def test_an_even_split_loses_nothing_and_differs_by_one_at_most(elements: int, parts: int) -> None:
    sizes = split_evenly(elements, parts)
    assert sum(sizes) == elements and len(sizes) == parts
    assert max(sizes) - min(sizes) <= 1


def test_every_collective_says_what_it_starts_from_and_ends_with() -> None:
    def held(collective: str, chunks: int = 2) -> tuple[list[list[tuple[int, ...]]], list[list]]:
        schedule = Schedule("none", 2, (1,) * chunks, (), collective, root=1)
        start = [[content.counts for content in row] for row in initial(schedule)]
        return start, [list(row) for row in goal(schedule)]

    a, b, none, both = (1, 0), (0, 1), (0, 0), (1, 1)
    every = None
    assert held("all_reduce") == ([[a, a], [b, b]], [[both, both], [both, both]])
    assert held("reduce") == ([[a, a], [b, b]], [[every, every], [both, both]])
    assert held("reduce_scatter") == ([[a, a], [b, b]], [[both, every], [every, both]])
    assert held("broadcast") == ([[none, none], [b, b]], [[b, b], [b, b]])
    assert held("scatter") == ([[none, none], [b, b]], [[b, every], [every, b]])
    assert held("gather") == ([[a, none], [none, b]], [[every, every], [a, b]])
    assert held("all_gather") == ([[a, none], [none, b]], [[a, b], [a, b]])
    start, end = held("all_to_all", 4)
    assert start == [[a, a, none, none], [none, none, b, b]]
    assert end == [[a, every, b, every], [every, a, every, b]]
    assert len(COLLECTIVES) == 8


def test_a_chunk_without_elements_may_hold_anything() -> None:
    schedule = Schedule("nothing", 3, (0, 0), ())
    assert simulate(schedule).is_right


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"world_size": 0}, "at least 1 rank, not 0"),
        ({"chunk_sizes": (1, -2)}, "0 or more"),
        ({"collective": "all_sum"}, "no collective called 'all_sum'"),
        ({"collective": "broadcast"}, "root from 0 to 1, not None"),
        ({"collective": "reduce", "root": 2}, "root from 0 to 1, not 2"),
        ({"collective": "all_gather", "chunk_sizes": (1, 1, 1)}, "a multiple of 2, not 3"),
        ({"collective": "all_to_all"}, "a multiple of 4, not 2"),
    ],
)
def test_numbers_that_no_schedule_has_are_refused(arguments: dict, says: str) -> None:
    values = {"name": "x", "world_size": 2, "chunk_sizes": (1, 1), "steps": ()} | arguments
    with pytest.raises(ValueError, match=says):
        Schedule(**values)


def test_values_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="2 ranks with 2 chunks each"):
        simulate_numbers(algorithms.ring(2), [[1, 2], [1]])
    with pytest.raises(ValueError, match="as many places"):
        Transfer(0, 1, (0, 1), True, into=(0,))


def test_a_new_file_in_algorithms_is_found_and_called_by_its_name() -> None:
    assert algorithms.names() == tuple(sorted(algorithms.names()))
    assert {"ring", "central"} <= set(algorithms.names())
    assert algorithms.ring(4) == algorithms.get("ring")(4)
    assert simulate(algorithms.ring(3)).schedule.name == "ring"
    with pytest.raises(ValueError, match="no algorithm called 'rings'"):
        algorithms.get("rings")
    with pytest.raises(AttributeError, match="no algorithm called 'rings'"):
        _ = algorithms.rings
    with pytest.raises(ValueError, match="cuts the tensor into 4 chunks, not 3"):
        algorithms.ring(4, (1, 2, 3))


def test_a_playback_knows_whether_it_ended_right() -> None:
    right = simulate(algorithms.ring(3))
    assert right.is_right
    cut = Playback(right.schedule, (*right.states[:-1], right.states[0]), right.carried)
    assert not cut.is_right


def test_schedules_need_no_torch_no_matplotlib_and_no_widgets() -> None:
    code = (
        "import sys; from ringlab import schedule, algorithms; from ringlab.view import draw;"
        "draw(algorithms.ring(3), 0);"
        "print([m for m in ('torch', 'matplotlib', 'ipywidgets', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
