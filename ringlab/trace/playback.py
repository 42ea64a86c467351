"""A Schedule with states out of what ranks really did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlab.schedule import Content, Playback, Schedule, State, Step, Transfer
from ringlab.trace.chain import Message
from ringlab.trace.codes import Code, Reading
from ringlab.trace.records import Operation, RankRecord


@dataclass
class Decoded:
    """A watched run, read: what each message carried and what each rank held, over time.

    carried[i] belongs to messages[i]; held[rank] is a list of (clock, line, reading).
    """

    code: Code
    records: list[RankRecord]
    messages: list[Message]
    carried: list[Reading]
    held: list[list[tuple[int, int | None, Reading]]]


def decode(code: Code, runs: list[list[RankRecord]], found: list[Message]) -> Decoded:
    """Read every payload and snapshot of the same program run with each of the code's inputs."""
    records = runs[0]
    places = [
        {operation.index: i for i, operation in enumerate(record.operations)} for record in records
    ]
    carried = []
    for message in found:
        rank, index = message.src, places[message.src][message.send.index]
        payloads = [run[rank].operations[index].payload or b"" for run in runs]
        carried.append(code.read(payloads))
    held = [_held(code, [run[rank] for run in runs]) for rank in range(code.world_size)]
    return Decoded(code, records, found, carried, held)


def _held(code: Code, runs: list[RankRecord]) -> list[tuple[int, int | None, Reading]]:
    """A rank's tensor over time. What a pending receive may be writing keeps what it had.

    Whether such bytes have arrived at some moment differs from run to run.
    """
    history: list[tuple[int, int | None, Reading]] = []
    for i, snapshot in enumerate(runs[0].snapshots):
        reading = code.read([run.snapshots[i].data for run in runs])
        pending = _pending(runs[0].operations, snapshot.at, code.elements)
        if history and pending.any():
            reading = reading.replace(pending, history[-1][2])
        history.append((snapshot.at, snapshot.line, reading))
    return history


def _pending(operations: Sequence[Operation], at: int, elements: int) -> NDArray[np.bool_]:
    mask = np.zeros(elements, dtype=bool)
    for operation in operations:
        if operation.name != "recv" or operation.offset is None or operation.posted_at > at:
            continue
        if operation.waited_at is None or operation.waited_at > at:
            mask[max(0, operation.offset) : operation.offset + operation.numel] = True
    return mask


def same_shape(runs: list[list[RankRecord]]) -> bool:
    """Whether every run did the same things in the same order, values aside."""

    def shape(run: list[RankRecord]) -> list[object]:
        return [
            (
                [(o.name, o.peer, o.tag, o.nbytes, o.offset, o.line) for o in record.operations],
                len(record.snapshots),
            )
            for record in run
        ]

    return all(shape(run) == shape(runs[0]) for run in runs[1:])


def playback(
    decoded: Decoded,
    name: str,
    title: str,
    source: str | None,
    faults: tuple[str, ...],
    collective: tuple[str, int | None] = ("all_reduce", None),
) -> Playback:
    """The run as steps of a schedule, with the states that were seen."""
    return _Builder(decoded).build(name, title, source, faults, collective)


class _Builder:
    def __init__(self, decoded: Decoded) -> None:
        self.decoded = decoded
        self.code = decoded.code
        self.elements = [self._elements(i) for i in range(len(decoded.messages))]
        self.bounds = self._chunks()
        self.chunk_of = np.zeros(self.code.elements, dtype=int)
        for chunk, (start, end) in enumerate(self.bounds):
            self.chunk_of[start:end] = chunk
        self.step_count = max((m.step + 1 for m in decoded.messages), default=0)
        self.windows = [self._window(rank) for rank in range(self.code.world_size)]

    def build(
        self,
        name: str,
        title: str,
        source: str | None,
        faults: tuple[str, ...],
        collective: tuple[str, int | None],
    ) -> Playback:
        steps: list[list[Transfer]] = [[] for _ in range(self.step_count)]
        carried: list[list[tuple[Content, ...]]] = [[] for _ in range(self.step_count)]
        for i, message in enumerate(self.decoded.messages):
            if len(self.decoded.carried[i]) == 0:
                continue
            transfer, contents = self._transfer(i, message)
            steps[message.step].append(transfer)
            carried[message.step].append(contents)
        schedule = Schedule(
            name=name,
            world_size=self.code.world_size,
            chunk_sizes=tuple(end - start for start, end in self.bounds),
            steps=tuple(Step(tuple(transfers)) for transfers in steps),
            collective=collective[0],
            root=collective[1],
        )
        return Playback(
            schedule=schedule,
            states=tuple(self._state(step) for step in range(self.step_count + 1)),
            carried=tuple(tuple(row) for row in carried),
            source=source,
            element_bytes=8,
            title=title,
            faults=faults,
        )

    def _elements(self, i: int) -> NDArray[np.intp]:
        """Which element of the tensor each element of a message stands for.

        What it is made of says so; where that is not one element, the place it was sent from.
        """
        reading, message = self.decoded.carried[i], self.decoded.messages[i]
        if self.code.elements == 0:
            return np.zeros(0, dtype=np.intp)
        start = message.send.offset
        if start is None and message.recv is not None:
            start = message.recv.offset
        elements = np.arange(len(reading)) + (start or 0)
        for position in range(len(reading)):
            if message.send.offset is None and reading.explained[position]:
                made_of = np.flatnonzero(reading.counts[position].any(axis=0))
                if len(made_of) == 1:
                    elements[position] = made_of[0]
        return np.clip(elements, 0, max(0, self.code.elements - 1))

    def _chunks(self) -> list[tuple[int, int]]:
        """Runs of neighbouring elements that always travel together."""
        n = self.code.elements
        travels = np.zeros((n, len(self.elements)), dtype=bool)
        for i, elements in enumerate(self.elements):
            travels[elements, i] = True
        bounds, start = [], 0
        for end in range(1, n + 1):
            if end == n or (travels[end] != travels[start]).any():
                bounds.append((start, end))
                start = end
        return bounds

    def _window(self, rank: int) -> list[int]:
        """The clock at which each step begins on this rank; the last is the end of the run."""
        after = [10**9] * (self.step_count + 1)
        for message in self.decoded.messages:
            events = []
            if message.src == rank:
                events.append(message.send.posted_at)
            if message.dst == rank and message.recv and message.recv.waited_at is not None:
                events.append(message.recv.waited_at)
            for event in events:
                after[message.step] = min(after[message.step], event)
        # What belongs to step s + 1 or later begins at the earliest of their events.
        for step in range(self.step_count - 1, -1, -1):
            after[step] = min(after[step], after[step + 1])
        return after

    def _reading(self, rank: int, step: int) -> Reading:
        """What the rank held when `step` began; `step` = step_count: at the end."""
        history = self.decoded.held[rank]
        begins = self.windows[rank][step]
        found = history[0][2]
        for at, _, reading in history:
            if at < begins:
                found = reading
        return found

    def _state(self, step: int) -> State:
        rows = []
        for rank in range(self.code.world_size):
            reading = self._reading(rank, step)
            rows.append(tuple(self._content(reading, start, end) for start, end in self.bounds))
        return tuple(rows)

    def _content(self, reading: Reading, start: int, end: int) -> Content:
        positions = range(start, end)
        return self._combine(reading, [(p, p) for p in positions])

    def _combine(self, reading: Reading, pairs: list[tuple[int, int]]) -> Content:
        """Content of elements given as (position in the reading, element it stands for)."""
        rows, clean = [], True
        for position, element in pairs:
            if position >= len(reading):
                continue
            counts = reading.counts[position]
            own = counts[:, element]
            clean &= bool(reading.explained[position]) and counts.sum() == own.sum()
            rows.append(tuple(int(c) for c in own))
        if not rows:
            return Content((0,) * self.code.world_size)
        return Content(rows[0], unexplained=not clean or any(row != rows[0] for row in rows))

    def _transfer(self, i: int, message: Message) -> tuple[Transfer, tuple[Content, ...]]:
        elements = self.elements[i]
        chunks = list(dict.fromkeys(int(self.chunk_of[e]) for e in elements))
        reading = self.decoded.carried[i]
        contents = tuple(
            self._combine(
                reading, [(p, int(e)) for p, e in enumerate(elements) if self.chunk_of[e] == chunk]
            )
            for chunk in chunks
        )
        reduce, shift = self._landing(i, message)
        into = None
        if shift:
            places = [
                int(self.chunk_of[min(max(0, self.bounds[c][0] + shift), self.code.elements - 1)])
                for c in chunks
            ]
            into = tuple(places) if places != chunks else None
        transfer = Transfer(
            src=message.src,
            dst=message.dst,
            chunks=tuple(chunks),
            reduce=reduce,
            into=into,
            send_line=message.send.line,
            recv_line=message.recv.line if message.recv else None,
        )
        return transfer, contents

    def _landing(self, i: int, message: Message) -> tuple[bool, int]:
        """Whether the receiver added the message, and how many elements off its place it landed."""
        reading, elements = self.decoded.carried[i], self.elements[i]
        shifts = [0]
        if message.recv is not None and message.recv.offset is not None and len(elements):
            shifts.insert(0, message.recv.offset - int(elements[0]))
        shifts += [d for d in range(-self.code.elements + 1, self.code.elements) if d]
        for step in range(message.step, self.step_count):
            before = self._reading(message.dst, step)
            after = self._reading(message.dst, step + 1)
            changed = (before.counts != after.counts).any(axis=(1, 2))
            if not changed.any():
                continue
            for shift in dict.fromkeys(shifts):
                for reduce in (True, False):
                    if self._explains(reading, elements + shift, before, after, changed, reduce):
                        return reduce, shift
        # Where nothing shows it: what lands in the tensor overwrites, a buffer is for adding.
        return message.recv is None or message.recv.offset is None, 0

    def _explains(
        self,
        reading: Reading,
        places: NDArray[np.intp],
        before: Reading,
        after: Reading,
        changed: NDArray[np.bool_],
        reduce: bool,
    ) -> bool:
        if len(places) == 0 or places.min() < 0 or places.max() >= self.code.elements:
            return False
        if not changed[places].any():
            return False
        expected = reading.counts.astype(np.int64)
        if reduce:
            expected = expected + before.counts[places]
        return bool((expected == after.counts[places]).all())
