"""What each step asks of links and processors, before any speed is known.

Loads are counted in messages and elements, so one plan serves every tensor size and every speed:
a slider that changes them only prices the plan again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ringlab.cost.outline import Outline
from ringlab.cost.topology import Shape
from ringlab.schedule import Schedule, Step
from ringlab.words import cost as words


class Wire(NamedTuple):
    """Messages and elements one after another on one link, or sharing it, in one direction."""

    messages_inside: int = 0
    elements_inside: int = 0
    messages_between: int = 0
    elements_between: int = 0

    @property
    def messages(self) -> int:
        return self.messages_inside + self.messages_between

    @property
    def elements(self) -> int:
        return self.elements_inside + self.elements_between


class Work(NamedTuple):
    """What a processor does in a step; ``cores`` of them share it."""

    messages: int = 0
    copied: int = 0
    reduced: int = 0
    cores: int = 1


class Place(NamedTuple):
    """Where a load is: ``kind`` is one of words.BOTTLENECKS, ``number`` a rank or a node."""

    kind: str
    number: int
    nic: int = 0

    def __str__(self) -> str:
        return words.BOTTLENECKS[self.kind].format(number=self.number, nic=self.nic)


@dataclass(frozen=True)
class Load:
    """The different loads of a step, each with the first place that has it."""

    wires: tuple[tuple[Wire, Place], ...]
    works: tuple[tuple[Work, Place], ...]
    elements_between: int
    phase: str


@dataclass(frozen=True)
class Plan:
    """A schedule's loads, how often each follows itself, and the elements of the whole tensor."""

    loads: tuple[tuple[Load, int], ...]
    elements: int

    def compact(self) -> Plan:
        """Equal loads of a phase as one, wherever they are: prices the same, out of order."""
        first: dict[tuple[object, ...], Load] = {}
        times: dict[tuple[object, ...], int] = {}
        for load, count in self.loads:
            wires = frozenset(wire for wire, _ in load.wires)
            works = frozenset(work for work, _ in load.works)
            kind = (load.phase, load.elements_between, wires, works)
            first.setdefault(kind, load)
            times[kind] = times.get(kind, 0) + count
        return Plan(tuple((first[kind], count) for kind, count in times.items()), self.elements)


def plan(schedule: Schedule | Outline, shape: Shape) -> Plan:
    """The loads of every step. Messages that can't exist are left out."""
    short = schedule if isinstance(schedule, Outline) else Outline.of(schedule)
    return joined(step_loads(short.schedule, shape), short.times, short.elements)


def joined(loads: Sequence[Load], times: Sequence[int], elements: int) -> Plan:
    """A plan in which load i is done ``times[i]`` times; equal ones in a row become one."""
    runs: list[tuple[Load, int]] = []
    for load, count in zip(loads, times, strict=True):
        if runs and runs[-1][0] == load:
            count += runs.pop()[1]
        runs.append((load, count))
    return Plan(tuple(runs), elements)


def step_loads(schedule: Schedule, shape: Shape) -> tuple[Load, ...]:
    """The load of each step."""
    counter = _Counter(schedule.chunk_sizes)
    return tuple(
        _load(list(_messages(step, schedule, counter)), shape, step.phase)
        for step in schedule.steps
    )


class _Counter:
    """Elements of messages. Schedules of many ranks use the same tuple of chunks many times."""

    def __init__(self, chunk_sizes: tuple[int, ...]) -> None:
        self.sizes = dict(enumerate(chunk_sizes))
        self.known: dict[int, int] = {}

    def elements(self, chunks: tuple[int, ...]) -> int:
        """``chunks`` must live as long as the counter does."""
        if len(chunks) == 1:
            return self.sizes.get(chunks[0], 0)
        found = self.known.get(id(chunks))
        if found is None:
            found = self.known[id(chunks)] = sum(self.sizes.get(chunk, 0) for chunk in chunks)
        return found


_Message = tuple[int, int, int, bool]
"""src, dst, elements, reduce."""


def _messages(step: Step, schedule: Schedule, counter: _Counter) -> Iterator[_Message]:
    ranks = range(schedule.world_size)
    for transfer in step.transfers:
        src, dst = transfer.src, transfer.dst
        if src != dst and src in ranks and dst in ranks:
            yield src, dst, counter.elements(transfer.chunks), transfer.reduce


def _load(messages: list[_Message], shape: Shape, phase: str) -> Load:
    ports = _ports(messages, shape)
    found: dict[Wire, Place] = {}
    for kind, wires in (("sends", ports.out), ("receives", ports.into)):
        for rank, wire in wires.items():
            if wire not in found:
                found[wire] = Place(kind, rank)
    crossing = 0
    for place, elements in _shared(messages, shape):
        near = place.kind == "inside"
        found.setdefault(Wire(1, elements) if near else Wire(0, 0, 1, elements), place)
        crossing += elements if place.kind == "leaves" else 0
    return Load(tuple(found.items()), tuple(_works(ports, shape).items()), crossing, phase)


@dataclass(frozen=True)
class _Ports:
    """What each rank sends and receives, one message after the other, and what it reduces."""

    out: dict[int, Wire]
    into: dict[int, Wire]
    reduced: dict[int, int]


def _ports(messages: list[_Message], shape: Shape) -> _Ports:
    size = shape.ranks_per_node
    out: dict[int, Wire] = {}
    into: dict[int, Wire] = {}
    reduced: dict[int, int] = {}
    alike: dict[tuple[bool, int], Wire] = {}
    for src, dst, elements, reduce in messages:
        kind = (src // size == dst // size, elements)
        wire = alike.get(kind)
        if wire is None:
            wire = alike[kind] = Wire(1, elements) if kind[0] else Wire(0, 0, 1, elements)
        out[src] = Wire(*map(int.__add__, out[src], wire)) if src in out else wire
        into[dst] = Wire(*map(int.__add__, into[dst], wire)) if dst in into else wire
        if reduce:
            reduced[dst] = reduced.get(dst, 0) + elements
    return _Ports(out, into, reduced)


def _shared(messages: list[_Message], shape: Shape) -> Iterator[tuple[Place, int]]:
    """The elements on each link that several ranks share. They wait together: one alpha a link."""
    size, nics = shape.ranks_per_node, shape.nics
    leaves: dict[int, int] = {}
    enters: dict[int, int] = {}
    inside: dict[int, int] = {}
    for src, dst, elements, _ in messages:
        here, there = src // size, dst // size
        if here != there:
            card = here * nics + src % size * nics // size
            leaves[card] = leaves.get(card, 0) + elements
            card = there * nics + dst % size * nics // size
            enters[card] = enters.get(card, 0) + elements
        elif shape.shared_inside:
            inside[here] = inside.get(here, 0) + elements
    for kind, cards in (("leaves", leaves), ("enters", enters)):
        for card, elements in cards.items():
            yield Place(kind, *divmod(card, nics)), elements
    for node, elements in inside.items():
        yield Place("inside", node), elements


def _works(ports: _Ports, shape: Shape) -> dict[Work, Place]:
    nothing = Wire()
    alike: dict[tuple[Wire, Wire, int], Work] = {}
    found: dict[Work, Place] = {}
    nodes: dict[int, Work] = {}
    for rank in ports.out | ports.into:
        does = (
            ports.out.get(rank, nothing),
            ports.into.get(rank, nothing),
            ports.reduced.get(rank, 0),
        )
        work = alike.get(does)
        if work is None:
            sends, receives, reduced = does
            work = alike[does] = Work(
                sends.messages + receives.messages, sends.elements + receives.elements, reduced
            )
            found.setdefault(work, Place("works", rank))
        if shape.cores is not None:
            node = rank // shape.ranks_per_node
            had = nodes.get(node, Work())
            nodes[node] = Work(
                had.messages + work.messages,
                had.copied + work.copied,
                had.reduced + work.reduced,
                shape.cores,
            )
    for node, work in nodes.items():
        found.setdefault(work, Place("cores", node))
    return found
