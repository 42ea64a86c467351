"""A schedule on real ranks does what the simulator says, whatever the algorithm and the size."""

from __future__ import annotations

from typing import Any

import pytest

from ringlab import algorithms
from ringlab.bench.ranks import OwnRanks
from ringlab.bench.schedules import run_schedule, turns_of
from ringlab.schedule import Schedule, Step, Transfer, simulate_numbers
from ringlab.world.client import Ranks, WorldError

ELEMENTS = 13


def run_on_ranks(schedules: list[Schedule], elements: int) -> list[list[int]]:
    """Each rank's tensor after each schedule, from a value that tells rank and element."""
    import torch
    import torch.distributed as dist

    found = []
    for schedule in schedules:
        count = elements or schedule.elements
        tensor = torch.arange(count) + 1000 * (dist.get_rank() + 1)
        run_schedule(schedule, tensor)
        found.append(tensor.tolist())
    return found


def every_schedule(world_size: int) -> list[Schedule]:
    """All algorithms with chunks of one element each, so that a chunk's value is an element."""
    found = []
    for name in algorithms.names():
        usual = algorithms.get(name)(world_size)
        found.append(algorithms.get(name)(world_size, (1,) * usual.chunk_count))
    return found


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 6])
def test_every_algorithm_gives_the_numbers_of_the_simulator(world_size: int) -> None:
    schedules = every_schedule(world_size)
    with Ranks(world_size) as ranks:
        by_rank = OwnRanks(ranks).each(run_on_ranks, schedules, 0)
    for i, schedule in enumerate(schedules):
        start = [
            [1000 * (rank + 1) + chunk for chunk in range(schedule.chunk_count)]
            for rank in range(world_size)
        ]
        wanted = simulate_numbers(schedule, start)
        assert [by_rank[rank][i] for rank in range(world_size)] == wanted, schedule.name


def test_a_tensor_of_another_size_is_cut_by_the_same_shares() -> None:
    names = [n for n in algorithms.names() if algorithms.get(n)(1).collective == "all_reduce"]
    schedules = [algorithms.get(name)(3) for name in names]
    sums = [6000 + 3 * element for element in range(ELEMENTS)]
    with Ranks(3) as ranks:
        for elements in (ELEMENTS, 1, 2):
            for rank in OwnRanks(ranks).each(run_on_ranks, schedules, elements):
                assert rank == [sums[:elements]] * len(names)


def test_what_is_sent_in_a_step_is_what_was_there_before_it() -> None:
    """Two ranks overwrite each other's chunk in one step: they swap."""
    swap = Step((Transfer(0, 1, (0,), False), Transfer(1, 0, (0,), False)))
    schedule = Schedule("swap", 2, (4,), (swap,))
    with Ranks(2) as ranks:
        by_rank = OwnRanks(ranks).each(run_on_ranks, [schedule], 4)
    assert by_rank == [[[2000, 2001, 2002, 2003]], [[1000, 1001, 1002, 1003]]]


def test_neighbouring_chunks_travel_as_one_span_without_a_copy() -> None:
    turns = turns_of(algorithms.get("halving_doubling")(8), 0, 8)
    assert all(len(m.spans) == 1 for turn in turns for m in (*turn.sends, *turn.receives))


def bad_calls() -> Any:
    import torch

    said = []
    for schedule, tensor in (
        (algorithms.get("ring")(3), torch.zeros(4)),
        (algorithms.get("ring")(2), torch.zeros(2, 3).t()),
    ):
        try:
            run_schedule(schedule, tensor)
        except ValueError as error:
            said.append(str(error))
    return said


def test_another_world_size_and_gaps_are_refused_before_anyone_waits() -> None:
    with Ranks(2) as ranks:
        said = OwnRanks(ranks).each(bad_calls)[0]
    assert "for 3 ranks, but 2 run it" in said[0]
    assert "not contiguous" in said[1]


def raises_on_rank_1() -> None:
    import torch.distributed as dist

    if dist.get_rank() == 1:
        raise ArithmeticError("seven")


def test_a_rank_that_fails_is_named() -> None:
    with Ranks(2) as ranks, pytest.raises(WorldError, match="seven"):
        OwnRanks(ranks).each(raises_on_rank_1)
