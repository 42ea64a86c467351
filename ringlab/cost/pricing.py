"""The alpha-beta-gamma price of a schedule on a topology.

The model of Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations
in MPICH": n bytes take alpha + n beta, a rank sends and receives one message at a time, reducing
costs gamma a byte. Here links may differ and be shared, and processors too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ringlab.cost.load import Place, Plan, Wire, Work, plan
from ringlab.cost.outline import Outline
from ringlab.cost.topology import Number, Topology
from ringlab.schedule import Schedule
from ringlab.words import cost as words

ELEMENT_BYTES = 4


class Terms(NamedTuple):
    """What the slowest links and busiest ranks of all steps add up to.

    A price is these times the topology's parameters: ``messages_inside`` alphas and
    ``bytes_inside`` betas of the link inside, the same of the link between, ``handled`` overheads,
    ``copied`` copies and ``reduced`` gammas. Work shared by cores counts as a fraction.
    """

    messages_inside: Number = 0
    bytes_inside: Number = 0
    messages_between: Number = 0
    bytes_between: Number = 0
    handled: Number = 0
    copied: Number = 0
    reduced: Number = 0

    def seconds(self, topology: Topology) -> Number:
        """The price, from the terms alone."""
        seconds: Number = 0
        for count, each in zip(self, parameters(topology), strict=True):
            seconds = seconds + count * each
        return seconds


def parameters(topology: Topology) -> tuple[Number, ...]:
    """The seconds for one of each of ``Terms``."""
    inside, between = topology.inside, topology.between
    far: tuple[Number, Number] = (0, 0) if between is None else (between.alpha, between.beta)
    own = (topology.overhead, topology.copy, topology.gamma)
    return (inside.alpha, inside.beta, *far, *own)


@dataclass(frozen=True, slots=True)
class StepPrice:
    """``times`` equal steps, one after another; seconds are for one of them.

    ``slowest`` is the link that the step waits for, ``busiest`` the processor that works longest
    afterwards; both None in a step without messages.
    """

    phase: str
    times: int
    link_seconds: Number
    work_seconds: Number
    slowest: Place | None
    busiest: Place | None

    @property
    def seconds(self) -> Number:
        return self.link_seconds + self.work_seconds

    @property
    def bottleneck(self) -> Place | None:
        """Where most of the step's time goes."""
        return self.busiest if self.work_seconds > self.link_seconds else self.slowest


@dataclass(frozen=True)
class Price:
    """Seconds of a whole schedule, and where they go.

    ``bytes_between`` are all bytes that cross from one node to another.
    """

    seconds: Number
    steps: tuple[StepPrice, ...]
    terms: Terms
    bytes_between: Number

    @property
    def step_count(self) -> int:
        return sum(step.times for step in self.steps)

    @property
    def per_step(self) -> tuple[Number, ...]:
        """Seconds of every step, in order."""
        return tuple(step.seconds for step in self.steps for _ in range(step.times))

    def phases(self) -> dict[str, Number]:
        """Seconds of each phase."""
        seconds: dict[str, Number] = {}
        for step in self.steps:
            seconds[step.phase] = seconds.get(step.phase, 0) + step.times * step.seconds
        return seconds


def price(schedule: Schedule | Outline, topology: Topology, nbytes: Number | None = None) -> Price:
    """Price a schedule whose chunks together have ``nbytes`` bytes.

    Chunks keep their shares of the whole; without ``nbytes`` an element has 4 bytes. Of an
    all-to-all the bytes are those of all ranks' blocks together.

    Exact, as a Fraction, when neither bytes nor topology has a float. Raises ValueError if the
    ranks don't fit into the topology.
    """
    short = schedule if isinstance(schedule, Outline) else Outline.of(schedule)
    topology.check_room(short.schedule.world_size)
    return price_plan(plan(short, topology.shape), topology, nbytes)


def price_plan(loads: Plan, topology: Topology, nbytes: Number | None = None) -> Price:
    """Price loads that were counted before, for a topology of the same shape."""
    each = parameters(topology)
    scale = _bytes_of_an_element(loads, nbytes)
    if any(isinstance(value, float) for value in each):
        scale = float(scale)
    speeds = _Speeds(
        each[0],
        each[1] * scale,
        each[2],
        each[3] * scale,
        each[4],
        each[5] * scale,
        each[6] * scale,
    )
    steps: list[StepPrice] = []
    sums: list[Number] = [0] * 7
    between = 0
    for load, times in loads.loads:
        wire, slowest, link_seconds = speeds.slowest(load.wires)
        work, busiest, work_seconds = speeds.busiest(load.works)
        steps.append(StepPrice(load.phase, times, link_seconds, work_seconds, slowest, busiest))
        share: Number = times if work.cores == 1 else Fraction(times, work.cores)
        for i, count in enumerate(wire):
            sums[i] += times * count
        for i, count in enumerate(work[:3]):
            sums[4 + i] += share * count
        between += times * load.elements_between
    terms = Terms(
        sums[0],
        sums[1] * scale,
        sums[2],
        sums[3] * scale,
        sums[4],
        sums[5] * scale,
        sums[6] * scale,
    )
    total: Number = 0
    for step in steps:
        total = total + step.times * step.seconds
    return Price(total, tuple(steps), terms, between * scale)


def _bytes_of_an_element(loads: Plan, nbytes: Number | None) -> Number:
    if nbytes is None:
        return ELEMENT_BYTES
    if nbytes < 0:
        raise ValueError(words.BAD_BYTES.format(nbytes=nbytes))
    if not loads.elements:
        if nbytes:
            raise ValueError(words.NO_ELEMENTS.format(nbytes=nbytes))
        return 0
    if isinstance(nbytes, float):
        return nbytes / loads.elements
    scale = Fraction(nbytes) / loads.elements
    return scale.numerator if scale.denominator == 1 else scale


class _Speeds(NamedTuple):
    """Seconds of a message or an element, in the order of ``Terms``."""

    alpha_inside: Number
    beta_inside: Number
    alpha_between: Number
    beta_between: Number
    overhead: Number
    copy: Number
    gamma: Number

    def slowest(self, wires: tuple[tuple[Wire, Place], ...]) -> tuple[Wire, Place | None, Number]:
        """The first of the links that take longest."""
        best: tuple[Wire, Place | None, Number] = (Wire(), None, 0)
        for wire, place in wires:
            seconds = (
                wire.messages_inside * self.alpha_inside
                + wire.elements_inside * self.beta_inside
                + wire.messages_between * self.alpha_between
                + wire.elements_between * self.beta_between
            )
            if best[1] is None or seconds > best[2]:
                best = (wire, place, seconds)
        return best

    def busiest(self, works: tuple[tuple[Work, Place], ...]) -> tuple[Work, Place | None, Number]:
        """The first of the processors that work longest."""
        best: tuple[Work, Place | None, Number] = (Work(), None, 0)
        for work, place in works:
            seconds: Number = (
                work.messages * self.overhead + work.copied * self.copy + work.reduced * self.gamma
            )
            if work.cores > 1:
                seconds = seconds * Fraction(1, work.cores)
            if best[1] is None or seconds > best[2]:
                best = (work, place, seconds)
        return best
