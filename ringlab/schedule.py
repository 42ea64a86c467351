"""Schedules of collective operations: who sends which chunk to whom, step by step.

A ``Schedule`` is the one data type of the course. An algorithm makes one, a real run is recorded
as one, and pictures, prices and verdicts read one. Ranks, chunks and steps count from 0.

The messages of a step travel at the same time: each carries what its sender held before the step.
In a recorded run they travel without waiting for one another: none had to wait for another of its
step to be sent. A rank may still have taken them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ringlab.laws import (
    CountedTwice,
    LandedInWrongChunk,
    MissingContribution,
    NoSuchChunk,
    NoSuchRank,
    NotWanted,
    OverwrittenBeforeUse,
    ScheduleError,
    SentBeforeHeld,
    SentToItself,
    TwoWritesInOneStep,
    UnexplainedValue,
    broken_laws,
    can_happen,
    is_complete,
)
from ringlab.words import schedule as words

__all__ = [
    "COLLECTIVES",
    "Content",
    "CountedTwice",
    "LandedInWrongChunk",
    "MissingContribution",
    "NoSuchChunk",
    "NoSuchRank",
    "NotWanted",
    "OverwrittenBeforeUse",
    "Playback",
    "Schedule",
    "ScheduleError",
    "SentBeforeHeld",
    "SentToItself",
    "State",
    "Step",
    "Transfer",
    "TwoWritesInOneStep",
    "UnexplainedValue",
    "find_faults",
    "goal",
    "initial",
    "is_complete",
    "simulate",
    "simulate_numbers",
    "split_evenly",
]


@dataclass(frozen=True, slots=True)
class Transfer:
    """One message from ``src`` to ``dst``, carrying one or more chunks.

    With ``reduce`` the receiver adds what comes to what it holds, else it overwrites it.
    ``into`` names the chunk in which each one lands, where that is another one: only recorded
    runs that are wrong do that. The lines are the learner's, counted from 1, if known.
    """

    src: int
    dst: int
    chunks: tuple[int, ...]
    reduce: bool
    into: tuple[int, ...] | None = None
    send_line: int | None = None
    recv_line: int | None = None

    def __post_init__(self) -> None:
        if self.into is not None and len(self.into) != len(self.chunks):
            raise ValueError(words.BAD_INTO.format(count=len(self.chunks), places=len(self.into)))

    @property
    def places(self) -> tuple[int, ...]:
        """The chunk in which each of ``chunks`` lands on ``dst``."""
        return self.chunks if self.into is None else self.into


@dataclass(frozen=True, slots=True)
class Step:
    """The messages that travel at the same time, and the phase they belong to."""

    transfers: tuple[Transfer, ...]
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What one rank holds in one chunk: how often each rank's contribution is in it.

    ``unexplained`` says that no sum of contributions gives the value that was seen.
    """

    counts: tuple[int, ...]
    unexplained: bool = False

    def __add__(self, other: Content) -> Content:
        counts = tuple(map(int.__add__, self.counts, other.counts))
        return Content(counts, self.unexplained or other.unexplained)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks whose contribution is in it, once or more often."""
        return tuple(rank for rank, count in enumerate(self.counts) if count)

    @property
    def is_empty(self) -> bool:
        return not self.unexplained and not any(self.counts)


State = tuple[tuple[Content, ...], ...]
"""``state[rank][chunk]``: what every rank holds between two steps."""

Goal = tuple[tuple[tuple[int, ...] | None, ...], ...]
"""``goal[rank][chunk]``: the counts that must be there at the end; None where anything may be."""


@dataclass(frozen=True)
class Schedule:
    """An algorithm for one collective operation on ``world_size`` ranks.

    ``chunk_sizes`` are elements. ``root`` is the rank that a broadcast, reduce, scatter or gather
    starts from or ends at. Raises ValueError if the numbers can't belong to any schedule; whether
    the steps are right is asked of ``simulate`` and ``find_faults``.
    """

    name: str
    world_size: int
    chunk_sizes: tuple[int, ...]
    steps: tuple[Step, ...]
    collective: str = "all_reduce"
    root: int | None = None

    def __post_init__(self) -> None:
        if self.world_size < 1:
            raise ValueError(words.BAD_WORLD_SIZE.format(world_size=self.world_size))
        if any(size < 0 for size in self.chunk_sizes):
            raise ValueError(words.BAD_CHUNK_SIZES.format(chunk_sizes=self.chunk_sizes))
        if self.collective not in COLLECTIVES:
            known = ", ".join(COLLECTIVES)
            raise ValueError(
                words.UNKNOWN_COLLECTIVE.format(collective=self.collective, known=known)
            )
        rule = COLLECTIVES[self.collective]
        if rule.rooted and not (self.root is not None and 0 <= self.root < self.world_size):
            raise ValueError(
                words.NEEDS_ROOT.format(
                    collective=self.collective, last=self.world_size - 1, root=self.root
                )
            )
        unit = self.world_size**rule.shares
        if self.chunk_count % unit:
            raise ValueError(
                words.CHUNKS_PER_RANK.format(
                    collective=self.collective,
                    world_size=self.world_size,
                    unit=unit,
                    chunk_count=self.chunk_count,
                )
            )

    @property
    def chunk_count(self) -> int:
        return len(self.chunk_sizes)

    @property
    def elements(self) -> int:
        """Elements of the whole tensor, all chunks together."""
        return sum(self.chunk_sizes)

    @property
    def transfers(self) -> Iterator[Transfer]:
        """Every message, in the order of the steps."""
        return (transfer for step in self.steps for transfer in step.transfers)

    @cached_property
    def messages(self) -> int:
        """Messages of all ranks together."""
        return sum(len(step.transfers) for step in self.steps)

    def messages_sent_by(self, rank: int) -> int:
        return sum(transfer.src == rank for transfer in self.transfers)

    def elements_in(self, transfer: Transfer) -> int:
        """Elements that one message carries. Chunks that don't exist carry nothing."""
        return sum(self.chunk_sizes[c] for c in transfer.chunks if 0 <= c < self.chunk_count)

    def bytes_sent_by(self, rank: int, element_bytes: int = 4) -> int:
        """Bytes that leave ``rank`` over the whole schedule."""
        sent = (self.elements_in(t) for t in self.transfers if t.src == rank)
        return element_bytes * sum(sent)

    def bytes_received_by(self, rank: int, element_bytes: int = 4) -> int:
        received = (self.elements_in(t) for t in self.transfers if t.dst == rank)
        return element_bytes * sum(received)

    def total_bytes(self, element_bytes: int = 4) -> int:
        """Bytes of all messages of all ranks."""
        return element_bytes * sum(map(self.elements_in, self.transfers))

    def busiest_bytes(self, element_bytes: int = 4) -> int:
        """Bytes sent by the rank that sends most."""
        return max(self.bytes_sent_before(len(self.steps), element_bytes))

    def bytes_in_step(self, step: int, element_bytes: int = 4) -> tuple[int, ...]:
        """Bytes that each rank sends in one step."""
        sent = [0] * self.world_size
        for transfer in self.steps[step].transfers:
            if 0 <= transfer.src < self.world_size:
                sent[transfer.src] += element_bytes * self.elements_in(transfer)
        return tuple(sent)

    def bytes_sent_before(self, step: int, element_bytes: int = 4) -> tuple[int, ...]:
        """Bytes that each rank has sent when ``step`` begins."""
        return tuple(element_bytes * count for count in self._sent_before[step])

    def messages_before(self, step: int) -> int:
        """Messages of all ranks before ``step`` begins."""
        return sum(len(s.transfers) for s in self.steps[:step])

    @cached_property
    def _sent_before(self) -> tuple[tuple[int, ...], ...]:
        sums = [(0,) * self.world_size]
        for step in range(len(self.steps)):
            sums.append(tuple(map(int.__add__, sums[-1], self.bytes_in_step(step, 1))))
        return tuple(sums)

    def least_bytes(self, element_bytes: int = 4) -> int | None:
        """Bytes that the busiest rank must send at least, None where no such bound is known.

        For all_reduce of M bytes on N ranks 2(N-1)/N*M, rounded up to whole elements (Patarasuk and
        Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of workstations"), half of
        it for each of its halves.
        """
        factor = {"all_reduce": 2, "reduce_scatter": 1, "all_gather": 1}.get(self.collective)
        if factor is None:
            return None
        messages = factor * (self.world_size - 1) * self.elements
        return element_bytes * -(-messages // self.world_size)

    def sends_to(self, rank: int) -> tuple[int, ...]:
        """The ranks that ``rank`` sends to, in order."""
        return tuple(sorted({t.dst for t in self.transfers if t.src == rank}))

    def receives_from(self, rank: int) -> tuple[int, ...]:
        return tuple(sorted({t.src for t in self.transfers if t.dst == rank}))

    def peers(self, rank: int) -> tuple[int, ...]:
        """The ranks that ``rank`` exchanges messages with, in order."""
        return tuple(sorted({*self.sends_to(rank), *self.receives_from(rank)}))


@dataclass(frozen=True)
class _Collective:
    """``holds(rank, chunk, schedule)``: counts at the start; ``wants``: at the end, or None.

    ``shares``: the chunk count is a multiple of world_size to this power.
    """

    holds: Callable[[int, int, Schedule], tuple[int, ...]]
    wants: Callable[[int, int, Schedule], tuple[int, ...] | None]
    rooted: bool = False
    shares: int = 0


def _only(rank: int, schedule: Schedule) -> tuple[int, ...]:
    return tuple(int(other == rank) for other in range(schedule.world_size))


def _owner(chunk: int, schedule: Schedule) -> int:
    return chunk * schedule.world_size // schedule.chunk_count


def _from_and_to(chunk: int, schedule: Schedule) -> tuple[int, int]:
    block = chunk * schedule.world_size**2 // schedule.chunk_count
    return divmod(block, schedule.world_size)


def _nothing(schedule: Schedule) -> tuple[int, ...]:
    return (0,) * schedule.world_size


def _all(schedule: Schedule) -> tuple[int, ...]:
    return (1,) * schedule.world_size


def _root(schedule: Schedule) -> int:
    return 0 if schedule.root is None else schedule.root


COLLECTIVES: dict[str, _Collective] = {
    "all_reduce": _Collective(
        holds=lambda r, c, s: _only(r, s),
        wants=lambda r, c, s: _all(s),
    ),
    "reduce": _Collective(
        holds=lambda r, c, s: _only(r, s),
        wants=lambda r, c, s: _all(s) if r == _root(s) else None,
        rooted=True,
    ),
    "reduce_scatter": _Collective(
        holds=lambda r, c, s: _only(r, s),
        wants=lambda r, c, s: _all(s) if r == _owner(c, s) else None,
        shares=1,
    ),
    "broadcast": _Collective(
        holds=lambda r, c, s: _only(r, s) if r == _root(s) else _nothing(s),
        wants=lambda r, c, s: _only(_root(s), s),
        rooted=True,
    ),
    "scatter": _Collective(
        holds=lambda r, c, s: _only(r, s) if r == _root(s) else _nothing(s),
        wants=lambda r, c, s: _only(_root(s), s) if r == _owner(c, s) else None,
        rooted=True,
        shares=1,
    ),
    "gather": _Collective(
        holds=lambda r, c, s: _only(r, s) if r == _owner(c, s) else _nothing(s),
        wants=lambda r, c, s: _only(_owner(c, s), s) if r == _root(s) else None,
        rooted=True,
        shares=1,
    ),
    "all_gather": _Collective(
        holds=lambda r, c, s: _only(r, s) if r == _owner(c, s) else _nothing(s),
        wants=lambda r, c, s: _only(_owner(c, s), s),
        shares=1,
    ),
    "all_to_all": _Collective(
        holds=lambda r, c, s: _only(r, s) if r == _from_and_to(c, s)[0] else _nothing(s),
        wants=lambda r, c, s: (
            _only(_from_and_to(c, s)[0], s) if r == _from_and_to(c, s)[1] else None
        ),
        shares=2,
    ),
}
"""What each collective starts from and ends with. Where chunks are shared out, chunk c belongs to
rank c * world_size // chunk_count; in all_to_all block ``src * world_size + dst`` goes from src to
dst."""


def initial(schedule: Schedule) -> State:
    """What every rank holds before the first step."""
    holds = COLLECTIVES[schedule.collective].holds
    return tuple(
        tuple(Content(holds(rank, chunk, schedule)) for chunk in range(schedule.chunk_count))
        for rank in range(schedule.world_size)
    )


def goal(schedule: Schedule) -> Goal:
    """What every rank must hold after the last step. A chunk without elements may hold anything."""
    wants = COLLECTIVES[schedule.collective].wants
    return tuple(
        tuple(
            wants(rank, chunk, schedule) if size else None
            for chunk, size in enumerate(schedule.chunk_sizes)
        )
        for rank in range(schedule.world_size)
    )


@dataclass(frozen=True)
class Playback:
    """A schedule with what every rank held before, between and after its steps.

    ``states`` has one entry more than there are steps. They are simulated, or decoded from a real
    run, and then they need not be what the steps alone would give.
    ``carried[step][transfer][i]`` is what the i-th chunk of that message held.
    ``source`` is the learner's code, ``faults`` are sentences to show with the picture.
    """

    schedule: Schedule
    states: tuple[State, ...]
    carried: tuple[tuple[tuple[Content, ...], ...], ...]
    source: str | None = None
    element_bytes: int = 4
    title: str | None = None
    faults: tuple[str, ...] = ()

    @cached_property
    def goal(self) -> Goal:
        return goal(self.schedule)

    @cached_property
    def is_right(self) -> bool:
        """Whether every rank ends with what the collective asks for."""
        return all(
            is_complete(content, wanted)
            for held, wants in zip(self.states[-1], self.goal, strict=True)
            for content, wanted in zip(held, wants, strict=True)
        )


def simulate(schedule: Schedule, strict: bool = True) -> Playback:
    """Run a schedule over contributions: who is in which chunk on which rank after each step.

    Raises the first law that is broken. With ``strict=False`` it goes on and shows what happens:
    messages that can't exist are left out, a chunk put into another one's place is unexplained.
    """
    state = initial(schedule)
    states, carried = [state], []
    for step in schedule.steps:
        messages = tuple(_contents(state, transfer, schedule) for transfer in step.transfers)
        state = _after(state, step, messages, schedule)
        states.append(state)
        carried.append(messages)
    playback = Playback(schedule, tuple(states), tuple(carried))
    if strict:
        for fault in find_faults(schedule):
            raise fault
    return playback


def _contents(state: State, transfer: Transfer, schedule: Schedule) -> tuple[Content, ...]:
    nothing = Content(_nothing(schedule))
    return tuple(
        state[transfer.src][chunk]
        if 0 <= transfer.src < schedule.world_size and 0 <= chunk < schedule.chunk_count
        else nothing
        for chunk in transfer.chunks
    )


def _after(
    state: State, step: Step, messages: Sequence[Sequence[Content]], schedule: Schedule
) -> State:
    rows: dict[int, list[Content]] = {}
    for transfer, contents in zip(step.transfers, messages, strict=True):
        for chunk, place, content in zip(transfer.chunks, transfer.places, contents, strict=True):
            if not can_happen(transfer, chunk, place, schedule):
                continue
            row = rows.setdefault(transfer.dst, list(state[transfer.dst]))
            arrived = content if chunk == place else Content(content.counts, unexplained=True)
            row[place] = row[place] + arrived if transfer.reduce else arrived
    return tuple(tuple(rows[r]) if r in rows else row for r, row in enumerate(state))


def simulate_numbers(schedule: Schedule, values: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Run a schedule over numbers.

    ``values[rank][chunk]`` is a number, or a list of numbers with one for each element. Gives what
    every rank holds at the end, in the same form. Messages that can't exist are left out.
    """
    chunk_count = schedule.chunk_count
    if len(values) != schedule.world_size or any(len(row) != chunk_count for row in values):
        raise ValueError(
            words.BAD_VALUES.format(world_size=schedule.world_size, chunk_count=chunk_count)
        )
    held = [list(row) for row in values]
    for step in schedule.steps:
        before = [list(row) for row in held]
        for transfer in step.transfers:
            for chunk, place in zip(transfer.chunks, transfer.places, strict=True):
                if can_happen(transfer, chunk, place, schedule):
                    row, arrived = held[transfer.dst], before[transfer.src][chunk]
                    row[place] = _add(row[place], arrived) if transfer.reduce else arrived
    return held


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, (list, tuple)):
        return [a + b for a, b in zip(left, right, strict=True)]
    return left + right


def split_evenly(elements: int, parts: int) -> tuple[int, ...]:
    """Sizes of ``parts`` chunks of a tensor of ``elements``, differing by one at most."""
    size, longer = divmod(elements, parts)
    return tuple(size + (part < longer) for part in range(parts))


def find_faults(what: Playback | Schedule) -> list[ScheduleError]:
    """Every law that is broken: what caused it in the order of the steps, then what ends up wrong.

    A schedule is judged by its simulation. A playback is taken as observed: it may have lost
    things in ways that its messages don't explain, and what happened in one step has happened in
    some order.
    """
    if isinstance(what, Schedule):
        return broken_laws(simulate(what, strict=False))
    return broken_laws(what, one_write_a_step=False)
