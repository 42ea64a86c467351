"""A learner's own run, read: who is in which part of every message."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from ringlab import algorithms
from ringlab.schedule import find_faults, simulate
from ringlab.trace.arrivals import unseen_arrival
from ringlab.trace.chain import longest_chain, messages
from ringlab.trace.traffic import Counted, traffic
from ringlab.trace.watch import Trace, watch
from ringlab.world.client import WorldError
from ringlab.world.run import NotWritten, run

sys.path.insert(0, str(Path(__file__).parents[2] / "solutions"))
from ring_all_reduce import ring_all_reduce


def watched(fn: object, world_size: int, elements: int | None = None) -> Trace:
    trace = watch(fn, world_size, elements)  # type: ignore[arg-type]
    assert isinstance(trace, Trace)
    return trace


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 5, 8])
def test_the_reference_ring_is_recorded_as_the_ring_that_the_course_draws(world_size: int) -> None:
    played = watched(ring_all_reduce, world_size, world_size).playback()
    drawn = simulate(algorithms.ring(world_size))
    assert played.is_right
    assert played.states == drawn.states
    bare = [
        {(t.src, t.dst, t.chunks, t.reduce) for t in step.transfers}
        for step in played.schedule.steps
    ]
    assert bare == [
        {(t.src, t.dst, t.chunks, t.reduce) for t in step.transfers}
        for step in drawn.schedule.steps
    ]
    assert played.schedule.steps == () or all(
        transfer.send_line for transfer in played.schedule.transfers
    )


def test_sixteen_ranks_are_read_too() -> None:
    played = watched(ring_all_reduce, 16, 16).playback()
    assert played.is_right and len(played.schedule.steps) == 30


def test_uneven_chunks_are_found_from_what_travels() -> None:
    assert watched(ring_all_reduce, 4, 7).playback().schedule.chunk_sizes == (2, 2, 2, 1)


def test_bytes_and_messages_are_counted() -> None:
    trace = watched(ring_all_reduce, 4, 8)
    assert trace.bytes_sent == [2 * 3 * 2 * 8] * 4
    assert trace.messages_sent == [6] * 4
    assert trace.steps == 6


def test_a_contribution_that_is_lost_is_named_with_rank_step_and_line() -> None:
    def loses_one(tensor: torch.Tensor) -> None:
        rank, size = dist.get_rank(), dist.get_world_size()
        chunks = tensor.tensor_split(size)
        scratch = torch.empty_like(chunks[0])
        for step in range(2 * (size - 1)):
            reducing = step < size - 1
            out, into = chunks[(rank - step) % size], chunks[(rank - step - 1) % size]
            work = dist.isend(out, (rank + 1) % size)
            dist.recv(scratch if reducing else into, (rank - 1) % size)
            work.wait()
            if reducing and not (rank == 0 and step == 1):
                into += scratch

    faults = find_faults(watched(loses_one, 4, 4).playback())
    missing = [f for f in faults if f.rank == 0 and f.chunk == 2]
    assert missing and "ank 2" in str(missing[0]) or "ranks 2" in str(missing[0])


def test_a_chunk_that_lands_in_another_is_named() -> None:
    def mixes(tensor: torch.Tensor) -> None:
        other = 1 - dist.get_rank()
        buffer = torch.empty_like(tensor)
        for work in [dist.isend(tensor.clone(), other), dist.irecv(buffer, other)]:
            work.wait()
        tensor += buffer.flip(0)

    played = watched(mixes, 2, 2).playback()
    assert not played.is_right
    assert any(content.unexplained for rank in played.states[-1] for content in rank)


def test_a_hang_is_part_of_the_trace() -> None:
    def hangs(tensor: torch.Tensor) -> None:
        dist.recv(tensor, 1 - dist.get_rank())

    trace = watched(hangs, 2, 2)
    assert trace.failure is not None and trace.failure.kind == "hung"
    with pytest.raises(WorldError, match="A circle: 0 → 1 → 0"):
        trace.playback()


def test_a_run_whose_messages_depend_on_the_values_is_not_decoded() -> None:
    def depends(tensor: torch.Tensor) -> None:
        other = 1 - dist.get_rank()
        if dist.get_rank() == 0:
            if int(tensor[0]) == 1:
                dist.send(tensor, other)
            dist.send(tensor, other)
        else:
            dist.recv(tensor, other)
            if int(tensor[0]) == 1:
                dist.recv(tensor, other)

    with pytest.raises(WorldError, match="sent different messages"):
        watched(depends, 2, 2).playback()


def test_an_unwritten_answer_is_no_error() -> None:
    def answer(tensor: torch.Tensor) -> None:
        raise NotImplementedError("TODO")

    assert isinstance(watch(answer, 2), NotWritten)


def test_operations_are_seen_whatever_they_are_called_by() -> None:
    from torch.distributed import all_reduce as something

    def disguised(tensor: torch.Tensor) -> None:
        something(tensor)
        getattr(dist, "all_" + "reduce")(tensor)
        dist.group.WORLD.allreduce([tensor]).wait()

    trace = watched(disguised, 2, 2)
    assert [o.name for o in trace.records[0].operations] == ["all_reduce"] * 3


def test_steps_follow_the_longest_chain() -> None:
    def chain(tensor: torch.Tensor) -> None:
        rank, size = dist.get_rank(), dist.get_world_size()
        if rank:
            dist.recv(tensor, rank - 1)
        if rank < size - 1:
            dist.send(tensor, rank + 1)

    trace = watched(chain, 4, 1)
    assert longest_chain(messages(trace.records)) == 3
    assert [m.step for m in trace.messages] == [0, 1, 2]


def test_traffic_is_counted_not_computed() -> None:
    counted = traffic(ring_all_reduce, 4, 4096)
    assert isinstance(counted, Counted)
    assert counted.bytes_sent == counted.bytes_received == [6 * 1024] * 4
    assert (counted.total, counted.busiest, counted.rounds) == (24 * 1024, 6 * 1024, 6)
    assert "6 KiB" in counted.text()


def test_what_no_recorded_message_brought_is_found() -> None:
    decoded = watched(ring_all_reduce, 3, 3).decoded
    assert decoded is not None
    assert unseen_arrival(decoded) is None
    kept = [i for i, message in enumerate(decoded.messages) if message.dst != 1]
    hidden = replace(
        decoded,
        messages=[decoded.messages[i] for i in kept],
        carried=[decoded.carried[i] for i in kept],
    )
    assert unseen_arrival(hidden) == (1, 0, 0)


def test_thousands_of_messages_are_put_in_steps_at_once() -> None:
    def ping_pong(tensor: torch.Tensor) -> None:
        rank = dist.get_rank()
        for turn in range(1500):
            if turn % 2 == rank:
                dist.send(tensor, 1 - rank)
            else:
                dist.recv(tensor, 1 - rank)

    records = run(ping_pong, 2, torch.ones(1)).records
    begun = time.process_time()
    found = messages(records)
    assert time.process_time() - begun < 1.0
    assert longest_chain(found) == 1500
