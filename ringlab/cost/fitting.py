"""Fit a link, or a whole topology, to measured times."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ringlab.cost.load import plan
from ringlab.cost.outline import Outline
from ringlab.cost.pricing import Terms, parameters, price_plan
from ringlab.cost.topology import Link, Topology
from ringlab.schedule import Schedule
from ringlab.words import cost as words

ROUNDS = 100
SHARES = (1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 64)


@dataclass(frozen=True)
class Fit:
    """``alpha`` and ``beta`` of one link; ``alpha, beta = fit(samples)`` works too.

    ``errors``: for each size predicted / measured - 1, against the median of that size.
    """

    alpha: float
    beta: float
    errors: dict[int, float]

    def __iter__(self) -> Iterator[float]:
        return iter((self.alpha, self.beta))

    @property
    def link(self) -> Link:
        return Link(self.alpha, self.beta)

    @property
    def worst_factor(self) -> float:
        """By how many times the line is off where it fits worst, too high or too low."""
        return _worst_factor(self.errors.values())

    @property
    def typical_error(self) -> float:
        """The median of the errors' sizes."""
        return statistics.median(map(abs, self.errors.values()))

    def seconds(self, nbytes: float) -> float:
        return self.alpha + self.beta * nbytes


def fit(samples: Iterable[tuple[int, float]]) -> Fit:
    """Alpha and beta, neither below 0, from (bytes, seconds) of single messages.

    The median of each size first, since what disturbs a machine only adds to single samples; then
    least squares of the relative error, since absolute ones would leave alpha to the noise of the
    largest messages. Raises ValueError with less than two sizes or a time that is not above 0.
    """
    by_size: dict[int, list[float]] = defaultdict(list)
    for nbytes, seconds in samples:
        if not seconds > 0:
            raise ValueError(words.FIT_NEEDS_TIMES.format(seconds=seconds))
        by_size[nbytes].append(seconds)
    if len(by_size) < 2:
        raise ValueError(words.FIT_NEEDS_SIZES.format(count=len(by_size)))
    medians = {nbytes: statistics.median(by_size[nbytes]) for nbytes in sorted(by_size)}
    rows = [(1 / seconds, nbytes / seconds) for nbytes, seconds in medians.items()]
    alpha, beta = _not_negative(rows)
    errors = {n: (alpha + beta * n) / seconds - 1 for n, seconds in medians.items()}
    return Fit(alpha, beta, errors)


@dataclass(frozen=True)
class TopologyFit:
    """``errors``: predicted / measured - 1 of each sample, in order."""

    topology: Topology
    errors: tuple[float, ...]

    @property
    def worst_factor(self) -> float:
        return _worst_factor(self.errors)


def fit_topology(
    samples: Sequence[tuple[Schedule | Outline, int, float]],
    start: Topology,
    terms: Sequence[str] = ("alpha_inside", "beta_inside"),
) -> TopologyFit:
    """The parameters called ``terms`` from (schedule, bytes, seconds) of whole collectives.

    Give one time for each measurement, the median or the fastest, and several algorithms: terms
    that grow alike in all samples can't be told apart. Terms are those of ``TERMS``; the others,
    and who shares what, stay as in ``start``.

    A price is linear in its parameters as long as the same links and ranks are the slowest. So the
    slowest are found with the present parameters, new ones by least squares of the relative error,
    none below 0; we go as far towards them as the error falls, and so on until it stays. Raises
    ValueError for an unknown term.
    """
    unknown = [term for term in terms if term not in TERMS]
    if unknown or not terms:
        raise ValueError(
            words.FIT_UNKNOWN_TERMS.format(names=", ".join(unknown), known=", ".join(TERMS))
        )
    if any(not seconds > 0 for _, _, seconds in samples):
        raise ValueError(words.FIT_NEEDS_TIMES.format(seconds=min(s[2] for s in samples)))
    plans = [plan(schedule, start.shape) for schedule, _, _ in samples]
    free = [TERMS.index(term) for term in terms]

    def predicted(topology: Topology) -> list[Terms]:
        return [
            price_plan(loads, topology, nbytes).terms
            for loads, (_, nbytes, _) in zip(plans, samples, strict=True)
        ]

    def errors(topology: Topology) -> tuple[float, ...]:
        return tuple(
            float(found.seconds(topology)) / seconds - 1
            for found, (_, _, seconds) in zip(predicted(topology), samples, strict=True)
        )

    best = start
    for _ in range(ROUNDS):
        each = [float(value) for value in parameters(best)]
        rows, targets = [], []
        for found, (_, _, seconds) in zip(predicted(best), samples, strict=True):
            known = sum(float(n) * each[i] for i, n in enumerate(found) if i not in free)
            rows.append(tuple(float(found[i]) / seconds for i in free))
            targets.append(1 - known / seconds)
        solved = _not_negative(rows, targets)
        reach = least = _square(errors(best))
        for share in SHARES:
            part = [each[i] + share * (new - each[i]) for i, new in zip(free, solved, strict=True)]
            nearer = _with(start, dict(zip(terms, part, strict=True)))
            if _square(errors(nearer)) < least:
                best, least = nearer, _square(errors(nearer))
                break
        if least > reach * (1 - 1e-9):
            break
    return TopologyFit(best, errors(best))


TERMS = (
    "alpha_inside",
    "beta_inside",
    "alpha_between",
    "beta_between",
    "overhead",
    "copy",
    "gamma",
)
"""The parameters of a topology that can be fitted, in the order of ``Terms``."""


def _with(topology: Topology, values: dict[str, float]) -> Topology:
    inside, between = topology.inside, topology.between
    inside = Link(values.get("alpha_inside", inside.alpha), values.get("beta_inside", inside.beta))
    if between is not None:
        between = Link(
            values.get("alpha_between", between.alpha), values.get("beta_between", between.beta)
        )
    return replace(
        topology,
        inside=inside,
        between=between,
        overhead=values.get("overhead", topology.overhead),
        copy=values.get("copy", topology.copy),
        gamma=values.get("gamma", topology.gamma),
    )


def _square(errors: Iterable[float]) -> float:
    return sum(error * error for error in errors)


def _worst_factor(errors: Iterable[float]) -> float:
    factors = [1 + error for error in errors]
    return max(max(f, 1 / f) if f > 0 else math.inf for f in factors)


def _not_negative(
    rows: Sequence[Sequence[float]], targets: Sequence[float] | None = None
) -> list[float]:
    """x >= 0 with the least sum of (row . x - target)**2; targets are 1 if not given.

    With up to seven unknowns every choice of those that are not 0 can be tried.
    """
    goals = [1.0] * len(rows) if targets is None else list(targets)
    count = len(rows[0])
    best, best_square = [0.0] * count, _square(goals)
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            found = _least_squares([[row[i] for i in chosen] for row in rows], goals)
            if found is None or min(found) < 0:
                continue
            square = _square(
                sum(row[i] * x for i, x in zip(chosen, found, strict=True)) - goal
                for row, goal in zip(rows, goals, strict=True)
            )
            if square < best_square * (1 - 1e-12):
                best, best_square = [0.0] * count, square
                for i, x in zip(chosen, found, strict=True):
                    best[i] = x
    return best


def _least_squares(rows: list[list[float]], goals: list[float]) -> list[float] | None:
    """By Gram-Schmidt on columns scaled to length 1; None where columns are dependent."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    scales = [math.hypot(*column) for column in columns]
    if not all(scales):
        return None
    units: list[list[float]] = []
    upper: list[list[float]] = []
    for column, scale in zip(columns, scales, strict=True):
        rest = [x / scale for x in column]
        onto = []
        for unit in units:
            along = _dot(unit, rest)
            onto.append(along)
            rest = [x - along * u for x, u in zip(rest, unit, strict=True)]
        length = math.hypot(*rest)
        if length < 1e-9:
            return None
        units.append([x / length for x in rest])
        upper.append([*onto, length])
    found = [0.0] * len(columns)
    for i in reversed(range(len(columns))):
        later = sum(upper[j][i] * found[j] for j in range(i + 1, len(columns)))
        found[i] = (_dot(units[i], goals) - later) / upper[i][i]
    return [x / scale for x, scale in zip(found, scales, strict=True)]


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))
