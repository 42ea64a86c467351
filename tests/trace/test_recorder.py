"""What a recorder sees, by whatever way it is done."""

from __future__ import annotations

from typing import Any

import pytest

from ringlab.trace.chain import messages, never_waited, used_too_early
from ringlab.trace.records import Operation, RankRecord
from ringlab.world.client import Outcome, Turn
from ringlab.world.explain import explain
from ringlab.world.run import try_run


def recorded(fn: Any, world_size: int, *args: Any) -> list[RankRecord]:
    done = try_run(fn, world_size, *args, timeout=20)
    assert done.failure is None, done.failure.text()
    records: list[RankRecord] = done.records
    return records


def waits(how: str) -> None:
    import torch
    import torch.distributed as dist

    tensor = torch.ones(4)
    works = [dist.all_reduce(tensor, async_op=True) for _ in range(2)]
    futures = [work.get_future() for work in works]
    if how == "future":
        for future in futures:
            future.wait()
    elif how == "then":
        for future in futures:
            future.then(lambda done: done.value()).wait()
    elif how == "all":
        torch.futures.wait_all(futures)
    elif how == "poll":
        while not all(work.is_completed() for work in works):
            pass
    elif how == "done":
        while not all(future.done() for future in futures):
            pass
    else:
        for work in works:
            work.wait()


@pytest.mark.parametrize("how", ["work", "future", "then", "all", "poll", "done"])
def test_every_way_to_wait_is_a_wait(how: str) -> None:
    assert never_waited(recorded(waits, 2, how)) == []


def forgets() -> None:
    import torch
    import torch.distributed as dist

    work = dist.all_reduce(torch.ones(4), async_op=True)
    work.get_future()
    dist.barrier()


def test_a_future_that_nobody_waits_for_is_no_wait() -> None:
    forgotten = never_waited(recorded(forgets, 2))
    assert [(o.rank, o.name) for o in forgotten] == [(0, "all_reduce"), (1, "all_reduce")]


def from_anyone() -> None:
    import torch
    import torch.distributed as dist

    rank = dist.get_rank()
    if rank == 0:
        for _ in range(2):
            dist.recv(torch.zeros(3))
    elif rank == 1:
        dist.recv(torch.zeros(1), 2)
        dist.send(torch.ones(3), 0)
    else:
        dist.send(torch.full((3,), 2.0), 0)
        dist.send(torch.zeros(1), 1)


def test_a_receive_from_anyone_meets_the_message_that_came() -> None:
    records = recorded(from_anyone, 3)
    assert [operation.peer for operation in records[0].operations] == [2, 1]
    assert not any(message.was_changed for message in messages(records))


def makes_groups() -> None:
    import torch.distributed as dist

    rank = dist.get_rank()
    dist.new_group([1])
    dist.new_group([rank], use_local_synchronization=True)


def test_the_groups_that_are_made_are_seen_and_who_makes_them() -> None:
    for record in recorded(makes_groups, 2):
        everybody, alone = record.operations
        assert (everybody.name, everybody.group, everybody.members) == ("new_group", (0, 1), (1,))
        assert (alone.group, alone.members) == ((record.rank,), (record.rank,))


def test_a_group_with_a_rank_that_is_not_there_is_explained() -> None:
    """Told by a rank, which may tell anything; torch itself refuses such a group."""
    records = [RankRecord(rank) for rank in range(2)]
    records[0].waiting = Operation(0, "new_group", 0, (0, 7), members=(0, 7))
    outcomes = [Outcome("unfinished"), Outcome("returned")]
    turn = Turn(outcomes, records, ["", ""], "hung", 1.0)
    said = explain(turn, "answer", 10.0, lambda file: True).text()
    assert "new_group names [7]; the ranks here are 0 to 1." in said


def uses_its_buffer_at_once() -> None:
    import torch
    import torch.distributed as dist

    rank, other = dist.get_rank(), 1 - dist.get_rank()
    mine, theirs = torch.ones(4), torch.zeros(8)
    receiving = dist.irecv(theirs[4:], other)
    sending = dist.isend(mine, other)
    theirs[:4].add_(1)
    torch.empty_like(theirs[4:])
    view = theirs[4:].view(2, 2)
    if rank == 0:
        mine[:2] + view[1]
    receiving.wait()
    sending.wait()
    mine.add_(theirs[4:])


def test_a_buffer_used_before_its_wait_is_named() -> None:
    """By rank 0 alone: a view, a shape, and what lies beside it are no use of it."""
    records = recorded(uses_its_buffer_at_once, 2)
    (used,) = used_too_early(records)
    first = uses_its_buffer_at_once.__code__.co_firstlineno
    assert (used.rank, used.name, used.used_line) == (0, "recv", first + 12)


def keeps_the_plain_wait(wait: Any = None) -> None:
    import torch
    import torch.distributed as dist

    wait = dist.Work.wait
    other = 1 - dist.get_rank()
    works = [dist.irecv(torch.zeros(2), other), dist.isend(torch.ones(2), other)]
    for work in works:
        wait(work)


def test_a_wait_by_another_name_is_seen() -> None:
    assert never_waited(recorded(keeps_the_plain_wait, 2)) == []


def waits_twice() -> None:
    import torch
    import torch.distributed as dist

    other = 1 - dist.get_rank()
    receiving = dist.irecv(torch.zeros(2), other)
    dist.isend(torch.ones(2), other).wait()
    receiving.wait()
    receiving.wait()


def test_a_second_wait_for_one_message_is_named() -> None:
    failure = try_run(waits_twice, 2, timeout=20).failure
    assert failure is not None
    assert "has already waited for its recv from rank 1" in failure.text()


def groups_differ() -> None:
    import torch
    import torch.distributed as dist

    rank = dist.get_rank()
    group = dist.new_group([0, 1] if rank < 2 else [2, 3])
    dist.all_reduce(torch.ones(2), group=group)


def test_groups_that_not_every_rank_makes_are_named() -> None:
    # The groups share their keys in the store. With luck each pair reads its own before the other
    # pair overwrites them, and nothing goes wrong.
    runs = (try_run(groups_differ, 4, timeout=20).failure for _ in range(20))
    failure = next(filter(None, runs))
    assert "rank 0 asks for [0, 1], rank 2 asks for [2, 3]" in failure.text()
