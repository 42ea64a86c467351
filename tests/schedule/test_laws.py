"""Each law of a right all-reduce says itself when it is broken, with rank, chunk and step."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringlab import algorithms
from ringlab.schedule import (
    Content,
    CountedTwice,
    LandedInWrongChunk,
    MissingContribution,
    NoSuchChunk,
    NoSuchRank,
    NotWanted,
    OverwrittenBeforeUse,
    Playback,
    Schedule,
    ScheduleError,
    SentBeforeHeld,
    SentToItself,
    State,
    Step,
    Transfer,
    TwoWritesInOneStep,
    UnexplainedValue,
    find_faults,
    simulate,
    simulate_numbers,
)


def changed(schedule: Schedule, step: int, transfers: list[Transfer]) -> Schedule:
    steps = list(schedule.steps)
    steps[step] = replace(steps[step], transfers=tuple(transfers))
    return replace(schedule, steps=tuple(steps))


def without(schedule: Schedule, step: int, index: int) -> Schedule:
    transfers = list(schedule.steps[step].transfers)
    del transfers[index]
    return changed(schedule, step, transfers)


def numbers_are_right(schedule: Schedule) -> bool:
    """Judged by other means than the laws: by numbers from which no wrong sum comes out right."""
    size, chunks = schedule.world_size, schedule.chunk_count
    values = [[1000**rank * (7 + chunk) for chunk in range(chunks)] for rank in range(size)]
    sums = [sum(row[chunk] for row in values) for chunk in range(chunks)]
    ends = simulate_numbers(schedule, values)
    sized = [chunk for chunk in range(chunks) if schedule.chunk_sizes[chunk]]
    return all(row[chunk] == sums[chunk] for row in ends for chunk in sized)


@st.composite
def rings_and_a_message(draw: st.DrawFn) -> tuple[Schedule, int, int]:
    size = draw(st.integers(2, 16))
    sizes = draw(st.lists(st.integers(1, 5), min_size=size, max_size=size))
    ring = algorithms.ring(size, sizes, first_chunk=draw(st.integers(0, size - 1)))
    return ring, draw(st.integers(0, len(ring.steps) - 1)), draw(st.integers(0, size - 1))


@given(rings_and_a_message())
def test_a_dropped_message_is_found_and_named(case: tuple[Schedule, int, int]) -> None:
    ring, step, index = case
    lost = ring.steps[step].transfers[index]
    broken = without(ring, step, index)
    faults = find_faults(broken)
    assert not numbers_are_right(broken)
    assert faults and all(fault.chunk == lost.chunks[0] for fault in faults)
    missing = [fault for fault in faults if isinstance(fault, MissingContribution)]
    assert missing
    said = " ".join(map(str, faults))
    assert f"as far as rank {lost.src} " in said or f"never left rank {lost.src}" in said
    if lost.reduce:
        carried = simulate(ring).carried[step][index][0].ranks
        assert {who for fault in missing for who in fault.contributions} == set(carried)
        assert sum(isinstance(fault, SentBeforeHeld) for fault in faults) == 1
    else:
        assert lost.dst in {fault.rank for fault in missing}


@given(rings_and_a_message(), st.booleans())
def test_a_message_sent_twice_is_found_if_it_harms(
    case: tuple[Schedule, int, int], at_once: bool
) -> None:
    ring, step, index = case
    again = ring.steps[step].transfers[index]
    if at_once:
        broken = changed(ring, step, [*ring.steps[step].transfers, again])
    else:
        steps = ring.steps
        broken = replace(ring, steps=(*steps[: step + 1], Step((again,)), *steps[step + 1 :]))
    faults = find_faults(broken)
    if at_once:
        first = faults[0]
        assert isinstance(first, TwoWritesInOneStep)
        assert (first.rank, first.chunk, first.step) == (again.dst, again.chunks[0], step)
    elif again.reduce:
        twice = [f for f in faults if isinstance(f, CountedTwice)]
        assert twice and {f.chunk for f in twice} == {again.chunks[0]}
        assert twice[0].rank == again.dst and twice[0].peer == again.src
        assert twice[0].step == step + 1
    else:
        assert numbers_are_right(broken) and not faults


@given(rings_and_a_message(), st.data())
def test_a_redirected_message_is_found_if_and_only_if_it_harms(
    case: tuple[Schedule, int, int], data: st.DataObject
) -> None:
    ring, step, index = case
    transfers = list(ring.steps[step].transfers)
    transfers[index] = replace(transfers[index], dst=data.draw(st.integers(0, ring.world_size)))
    broken = changed(ring, step, transfers)
    faults = find_faults(broken)
    kinds = {type(fault) for fault in faults}
    if transfers[index].dst == ring.world_size:
        assert NoSuchRank in kinds
    elif transfers[index].dst == transfers[index].src:
        assert SentToItself in kinds
    elif TwoWritesInOneStep not in kinds:
        assert bool(faults) == (not numbers_are_right(broken))


@given(rings_and_a_message())
def test_strict_simulation_raises_the_first_fault(case: tuple[Schedule, int, int]) -> None:
    broken = without(*case)
    first = find_faults(broken)[0]
    with pytest.raises(type(first)) as caught:
        simulate(broken)
    assert str(caught.value) == str(first)


@given(st.integers(1, 9), st.data())
def test_any_fault_is_found_in_what_was_observed_as_well(size: int, data: st.DataObject) -> None:
    """A run in which a rank's own code spoils a chunk between two steps."""
    ring = algorithms.ring(size)
    right = simulate(ring)
    time = data.draw(st.integers(0, len(ring.steps)))
    rank, chunk = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    counts = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    spoiled = Content(tuple(counts), unexplained=data.draw(st.booleans()))
    seen = observed(right, time, rank, chunk, spoiled)
    assert bool(find_faults(seen)) == (not seen.is_right)


def observed(right: Playback, time: int, rank: int, chunk: int, content: Content) -> Playback:
    """What would have been seen if a chunk had held something else from ``time`` on."""

    def put(state: State) -> State:
        row = (*state[rank][:chunk], content, *state[rank][chunk + 1 :])
        return (*state[:rank], row, *state[rank + 1 :])

    states, carried = list(right.states[:time]), list(right.carried[:time])
    state = put(right.states[time])
    states.append(state)
    for step in right.schedule.steps[time:]:
        messages = tuple(tuple(state[t.src][c] for c in t.chunks) for t in step.transfers)
        rows = [list(row) for row in state]
        for transfer, contents in zip(step.transfers, messages, strict=True):
            for place, came in zip(transfer.places, contents, strict=True):
                held = rows[transfer.dst][place]
                rows[transfer.dst][place] = held + came if transfer.reduce else came
        state = tuple(tuple(row) for row in rows)
        states.append(state)
        carried.append(messages)
    return Playback(right.schedule, tuple(states), tuple(carried))


def only(schedule: Schedule, kind: type[ScheduleError]) -> ScheduleError:
    return next(fault for fault in find_faults(schedule) if isinstance(fault, kind))


RING = algorithms.ring(4)


def test_copying_in_place_of_adding_is_an_overwrite_before_use() -> None:
    first, *rest = RING.steps[0].transfers
    broken = changed(RING, 0, [replace(first, reduce=False, recv_line=14), *rest])
    fault = only(broken, OverwrittenBeforeUse)
    assert (fault.rank, fault.chunk, fault.step, fault.peer) == (1, 0, 0, 0)
    assert (fault.contributions, fault.line) == ((1,), 14)
    assert str(fault) == (
        "At step 0 the message from rank 0 overwrites chunk 0 on rank 1 (line 14), "
        "and with it the last copy of rank 1's part. Was it to be added?"
    )
    assert str(find_faults(broken)[0]) == str(fault)
    ends = [str(f) for f in find_faults(broken) if isinstance(f, MissingContribution)]
    cause = "at step 0 by the message from rank 0 (line 14)."
    assert ends == [
        f"Rank 1's part of chunk 0 is missing on rank 0: it was overwritten on rank 1 {cause}",
        f"Rank 1's part of chunk 0 is missing on rank 1: it was overwritten {cause}",
        f"Rank 1's part of chunk 0 is missing on rank 2: it was overwritten on rank 1 {cause}",
        f"Rank 1's part of chunk 0 is missing on rank 3: it was overwritten on rank 1 {cause}",
    ]


def test_the_second_phase_off_by_one_is_sent_before_held() -> None:
    def earlier(step: Step) -> Step:
        moved = (replace(t, chunks=((t.chunks[0] - 1) % 4,)) for t in step.transfers)
        return replace(step, transfers=tuple(moved))

    broken = replace(RING, steps=RING.steps[:3] + tuple(map(earlier, RING.steps[3:])))
    fault = find_faults(broken)[0]
    assert isinstance(fault, SentBeforeHeld)
    assert (fault.rank, fault.chunk, fault.step, fault.contributions) == (0, 0, 3, (1, 2, 3))
    assert "the parts of ranks 1 to 3 are not in it yet" in str(fault)


def test_a_lost_contribution_is_named_with_where_it_was_lost() -> None:
    broken = without(RING, 0, 2)
    missing = [f for f in find_faults(broken) if isinstance(f, MissingContribution)]
    assert [(f.rank, f.chunk, f.contributions) for f in missing] == [
        (rank, 2, (2,)) for rank in range(4)
    ]
    assert str(missing[2]) == (
        "Rank 2's part of chunk 2 is missing on rank 2: "
        "it was overwritten at step 3 by the message from rank 1."
    )
    assert str(missing[1]) == (
        "Rank 2's part of chunk 2 is missing on rank 1: it never left rank 2."
    )


def test_a_chunk_that_vanishes_without_a_message_is_said_so() -> None:
    seen = observed(simulate(RING), 6, 0, 1, Content((1, 1, 0, 1)))
    (fault,) = find_faults(seen)
    assert isinstance(fault, MissingContribution)
    assert (fault.rank, fault.chunk, fault.step, fault.contributions) == (0, 1, 5, (2,))
    assert "no message did that" in str(fault)


def test_an_observed_double_count_without_a_message_is_said_so() -> None:
    seen = observed(simulate(RING), 6, 0, 1, Content((1, 2, 1, 1)))
    first = find_faults(seen)[0]
    assert isinstance(first, CountedTwice)
    assert (first.rank, first.chunk, first.step, first.contributions) == (0, 1, 5, (1,))
    assert "rank 0 added it by itself" in str(first)


def test_a_value_that_no_sum_explains_is_named_where_it_first_appears() -> None:
    spoiled = Content((0,) * 4, unexplained=True)
    seen = observed(simulate(RING), 3, 2, 3, spoiled)
    faults = find_faults(seen)
    assert [type(fault) for fault in faults] == [UnexplainedValue]
    assert (faults[0].rank, faults[0].chunk, faults[0].step) == (2, 3, 2)
    at_start = observed(simulate(RING), 0, 2, 3, spoiled)
    assert "Before the first message" in str(find_faults(at_start)[0])


def test_a_chunk_in_the_place_of_another_is_named() -> None:
    first, *rest = RING.steps[1].transfers
    broken = changed(RING, 1, [replace(first, into=(0,)), *rest])
    fault = only(broken, LandedInWrongChunk)
    assert (fault.rank, fault.chunk, fault.step, fault.peer) == (1, 0, 1, 0)
    assert "chunk 3 from rank 0 lands in chunk 0 of rank 1" in str(fault)


def test_messages_that_cannot_exist_are_named_and_left_out() -> None:
    def one(transfer: Transfer) -> Schedule:
        return Schedule("one", 2, (1,), (Step((transfer,)),))

    nobody, itself = one(Transfer(0, 2, (0,), True)), one(Transfer(1, 1, (0,), True))
    no_chunk = one(Transfer(0, 1, (3,), True))
    assert "there is no rank 2" in str(only(nobody, NoSuchRank))
    assert "rank 1 sends chunk 0 to itself" in str(only(itself, SentToItself))
    fault = only(no_chunk, NoSuchChunk)
    assert (fault.rank, fault.chunk, fault.step) == (0, 3, 0)
    for broken in (nobody, itself, no_chunk):
        assert simulate(broken, strict=False).states[0] == simulate(broken, strict=False).states[1]


def test_nothing_can_be_sent_that_is_not_there() -> None:
    step = Step((Transfer(1, 0, (0,), False),))
    broadcast = Schedule("backwards", 2, (1,), (step,), "broadcast", root=0)
    fault = only(broadcast, SentBeforeHeld)
    assert (fault.rank, fault.chunk, fault.step) == (1, 0, 0)
    assert "holds nothing of that chunk yet" in str(fault)


def test_what_does_not_belong_is_named() -> None:
    step = Step((Transfer(0, 1, (0,), True), Transfer(1, 0, (1,), False)))
    gather = Schedule("adds", 2, (1, 1), (step,), "all_gather")
    assert find_faults(gather) == []
    start = simulate(gather)
    own = Content((0, 1))
    states = (((start.states[0][0]), (own, own)), (start.states[1][0], (Content((1, 1)), own)))
    fault = only_in(Playback(gather, states, start.carried), NotWanted)
    assert (fault.rank, fault.chunk, fault.contributions) == (1, 0, (1,))


def only_in(playback: Playback, kind: type[ScheduleError]) -> ScheduleError:
    return next(fault for fault in find_faults(playback) if isinstance(fault, kind))


def test_a_right_run_has_no_fault_even_if_two_messages_came_in_one_step() -> None:
    both = Step((Transfer(1, 0, (0,), True), Transfer(2, 0, (0,), True)))
    back = Step((Transfer(0, 1, (0,), False), Transfer(0, 2, (0,), False)))
    star = Schedule("star", 3, (4,), (both, back))
    assert isinstance(find_faults(star)[0], TwoWritesInOneStep)
    assert find_faults(simulate(star, strict=False)) == []


def test_an_unusual_way_that_ends_right_has_no_fault() -> None:
    """A partial sum overwrites a stale one, and is overwritten in turn by the whole."""
    steps = (
        Step((Transfer(0, 1, (0,), True),)),
        Step((Transfer(1, 0, (0,), False),)),
        Step((Transfer(0, 2, (0,), True),)),
        Step((Transfer(2, 0, (0,), False), Transfer(2, 1, (0,), False))),
    )
    assert find_faults(Schedule("detour", 3, (1,), steps)) == []


def test_faults_travel_between_processes() -> None:
    fault = find_faults(without(RING, 1, 1))[0]
    copy = pickle.loads(pickle.dumps(fault))
    assert type(copy) is type(fault) and str(copy) == str(fault)
    assert copy.__dict__ == fault.__dict__


def test_a_ring_of_16_with_a_fault_is_explained_in_a_blink() -> None:
    faults = find_faults(without(algorithms.ring(16), 2, 5))
    assert 16 < len(faults) < 200
