"""Run any Schedule on real ranks, message by message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ringlab.schedule import Schedule, Step
from ringlab.words import bench as words

if TYPE_CHECKING:
    from torch import Tensor

Span = tuple[int, int]
"""First element, and the one after the last."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one rank sends or receives in a step: spans of the flat tensor, in order."""

    peer: int
    spans: tuple[Span, ...]
    reduce: bool
    needs_buffer: bool = False

    @property
    def elements(self) -> int:
        return sum(stop - start for start, stop in self.spans)


@dataclass(frozen=True, slots=True)
class Turn:
    """One rank's part of a step."""

    sends: tuple[Message, ...]
    receives: tuple[Message, ...]


def run_schedule(schedule: Schedule, tensor: Tensor) -> None:
    """Carry out a schedule in place on the ranks of the default process group.

    Chunks get their shares of ``tensor``, which is contiguous, of any shape and dtype, and has
    room for all chunks of the schedule. Extra memory: what a rank receives in a step, at most.
    Every rank calls it with the same schedule. Raises ValueError for another world size or a
    tensor that is not contiguous.
    """
    import torch.distributed as dist

    if dist.get_world_size() != schedule.world_size:
        raise ValueError(
            words.OTHER_WORLD.format(wanted=schedule.world_size, there=dist.get_world_size())
        )
    perform(turns_of(schedule, dist.get_rank(), tensor.numel()), tensor)


def turns_of(schedule: Schedule, rank: int, elements: int) -> list[Turn]:
    """One rank's part of each step in which it has one, on a tensor of ``elements`` elements.

    Messages without elements are left out, on both sides.
    """
    spans = _cut(schedule, elements)
    turns = (_turn(step, rank, spans) for step in schedule.steps)
    return [turn for turn in turns if turn.sends or turn.receives]


def _cut(schedule: Schedule, elements: int) -> list[Span]:
    """Where each chunk lies: as the schedule says, or the same shares of another size."""
    total = schedule.elements
    ends = [0, *accumulate(schedule.chunk_sizes)]
    if total != elements:
        ends = [end * elements // total for end in ends] if total else [0] * len(ends)
    return list(zip(ends, ends[1:], strict=False))


def _turn(step: Step, rank: int, spans: Sequence[Span]) -> Turn:
    sends = tuple(
        Message(t.dst, _joined(t.chunks, spans), t.reduce) for t in step.transfers if t.src == rank
    )
    leaving = [span for message in sends for span in message.spans]
    receives = []
    for t in step.transfers:
        if t.dst != rank:
            continue
        places = _joined(t.places, spans)
        # What is sent in this step must not change before it has left.
        busy = any(a < d and c < b for a, b in places for c, d in leaving)
        receives.append(Message(t.src, places, t.reduce, t.reduce or busy or len(places) > 1))
    return Turn(
        tuple(m for m in sends if m.elements),
        tuple(m for m in receives if m.elements),
    )


def _joined(chunks: Sequence[int], spans: Sequence[Span]) -> tuple[Span, ...]:
    """The chunks' spans; neighbours become one."""
    joined: list[Span] = []
    for start, stop in (spans[chunk] for chunk in chunks):
        if start == stop:
            continue
        if joined and joined[-1][1] == start:
            start = joined.pop()[0]
        joined.append((start, stop))
    return tuple(joined)


def perform(turns: Sequence[Turn], tensor: Tensor) -> None:
    """Carry out one rank's turns, prepared before: preparing takes longer than a small message."""
    import torch.distributed as dist

    if not tensor.is_contiguous():
        raise ValueError(words.NOT_CONTIGUOUS)
    flat = tensor.view(-1)
    scratch = flat.new_empty(max((_buffered(turn) for turn in turns), default=0))
    for turn in turns:
        landings = list(_landings(turn, flat, scratch))
        operations: list[Any] = [
            dist.P2POp(dist.irecv, landing, message.peer)
            for message, landing in zip(turn.receives, landings, strict=True)
        ]
        operations += [
            dist.P2POp(dist.isend, _payload(message, flat), message.peer) for message in turn.sends
        ]
        for work in dist.batch_isend_irecv(operations):
            work.wait()
        for message, landing in zip(turn.receives, landings, strict=True):
            if message.needs_buffer:
                _put(message, landing, flat)


def _buffered(turn: Turn) -> int:
    return sum(message.elements for message in turn.receives if message.needs_buffer)


def _landings(turn: Turn, flat: Tensor, scratch: Tensor) -> Iterator[Tensor]:
    used = 0
    for message in turn.receives:
        if message.needs_buffer:
            yield scratch[used : used + message.elements]
            used += message.elements
        else:
            ((start, stop),) = message.spans
            yield flat[start:stop]


def _payload(message: Message, flat: Tensor) -> Tensor:
    import torch

    parts = [flat[start:stop] for start, stop in message.spans]
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _put(message: Message, landing: Tensor, flat: Tensor) -> None:
    used = 0
    for start, stop in message.spans:
        part = landing[used : used + stop - start]
        if message.reduce:
            flat[start:stop] += part
        else:
            flat[start:stop] = part
        used += stop - start
