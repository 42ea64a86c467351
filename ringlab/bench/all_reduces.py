"""Every all-reduce of the course on real ranks, against the backend's own."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringlab import algorithms
from ringlab.bench.bandwidth import columns
from ringlab.bench.measure import Measured
from ringlab.bench.ranks import Progress, ground, progress_for
from ringlab.bench.timing import device, peak_memory, slowest, take_turns
from ringlab.cost import Topology, price
from ringlab.preformatted import preformatted
from ringlab.schedule import Schedule
from ringlab.trace.traffic import size
from ringlab.words import bench as words

MIB = 1 << 20
SIZES = tuple(1 << k for k in range(10, 27, 2))
BLOCK = 256 << 10
MOST_BLOCKS = 4


def all_reduce_names() -> tuple[str, ...]:
    """The all-reduces among the algorithms."""
    every = algorithms.names()
    return tuple(n for n in every if algorithms.get(n)(1).collective == "all_reduce")


def schedule_for(name: str, world_size: int, nbytes: int) -> Schedule:
    """An algorithm as it is timed: the double binary tree in blocks of 256 KiB, 2 to 4 a tree."""
    if name != "double_binary_tree":
        return algorithms.get(name)(world_size)
    blocks = min(MOST_BLOCKS, max(2, nbytes // (2 * BLOCK)))
    return algorithms.get(name)(world_size, blocks=blocks)


@dataclass(repr=False)
class AlgorithmTimes(Measured):
    """Seconds of each algorithm at each size; ``samples[name][nbytes]``.

    The backend's own all_reduce is among them under the backend's name.
    """

    memory: int = 0

    def least(self, name: str, nbytes: int) -> float:
        """Seconds of the fastest sample: the one that other programs disturbed least."""
        return min(self.samples[name][nbytes])

    def points(self, names: Sequence[str] | None = None) -> list[tuple[Schedule, int, float]]:
        """(schedule, bytes, seconds) as ``cost.fit_topology`` takes, of all or some algorithms.

        The fastest sample of each, since what disturbs a machine only adds to a time.
        """
        own = [name for name in self.samples if name != self.backend]
        return [
            (schedule_for(name, self.world_size, nbytes), nbytes, self.least(name, nbytes))
            for name in (own if names is None else names)
            for nbytes in self.samples[name]
        ]

    def model_error(self, topology: Topology) -> tuple[float, float]:
        """By what factor the model is off, too high or too low: typically (median), and at worst.

        Against the points, which are the fastest samples.
        """
        ratios = [float(price(s, topology, n).seconds) / seconds for s, n, seconds in self.points()]
        factors = [max(ratio, 1 / ratio) if ratio > 0 else math.inf for ratio in ratios]
        return statistics.median(factors), max(factors)

    def fastest(self, nbytes: int) -> str:
        """The algorithm with the lowest median, the backend's own left out."""
        names = [name for name in self.samples if name != self.backend]
        return min(names, key=lambda name: self.median(name, nbytes))

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "measured", table=True)

    def text(self) -> str:
        """A row for each algorithm, a column for each size: medians in milliseconds."""
        sizes = list(next(iter(self.samples.values())))
        rows: list[tuple[str, ...]] = [("ms", *(size(each) for each in sizes))]
        best = {each: self.fastest(each) for each in sizes}
        for name in self.samples:
            cells = [
                f"{1e3 * self.median(name, each):.3g}{'*' if best[each] == name else ' '}"
                for each in sizes
            ]
            rows.append((name.replace("_", " "), *cells))
        count = len(next(iter(next(iter(self.samples.values())).values())))
        head = words.ALGORITHMS.format(
            world_size=self.world_size, backend=self.backend, count=count
        )
        return "\n".join([head, *columns(rows)])

    def to_json(self) -> dict[str, Any]:
        """Seconds of every sample."""
        return {
            "experiment": "algorithms",
            "world_size": self.world_size,
            "backend": self.backend,
            "memory": self.memory,
            "points": [
                {
                    "algorithm": name,
                    "nbytes": nbytes,
                    "seconds": samples,
                    "median": self.median(name, nbytes),
                }
                for name, by_size in self.samples.items()
                for nbytes, samples in by_size.items()
            ],
        }

    def chart(self, topology: Topology | None = None, names: Sequence[str] | None = None) -> Any:
        """A Chart: medians over size; with a topology the fastest samples and the model's lines."""
        from ringlab.bench.charts import algorithms_chart

        return algorithms_chart(self, topology, names)


def _timed(schedules: Mapping[str, Schedule], nbytes: int, repeats: int) -> Any:
    """On a rank: each schedule and the backend's own, checked once, then timed in turns."""
    import functools

    import torch
    import torch.distributed as dist

    from ringlab.bench.schedules import perform, turns_of

    rank, world_size = dist.get_rank(), dist.get_world_size()
    tensor = torch.zeros(nbytes // 4, device=device())
    actions: dict[str, Any] = {dist.get_backend(): functools.partial(dist.all_reduce, tensor)}
    for name, schedule in schedules.items():
        turns = turns_of(schedule, rank, tensor.numel())
        actions[name] = functools.partial(perform, turns, tensor)
    for name, action in actions.items():
        tensor.fill_(rank + 1)
        action()
        if not bool((tensor == world_size * (world_size + 1) / 2).all()):
            raise RuntimeError(words.WRONG_SUM.format(label=name, rank=rank))
    tensor.zero_()
    return take_turns(actions, repeats)


def compare_algorithms(
    world_size: int = 4,
    nbytes: Sequence[int] = SIZES,
    repeats: int = 9,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> AlgorithmTimes:
    """Time the course's all-reduces, float32, in place, beside the backend's own.

    They run as schedules, one message at a time for each rank, each checked for its sum before it
    is timed. A sample is the slowest rank's time. Tensors are zeros, which stay zeros.
    """
    with ground(world_size) as place:
        tell = progress or progress_for(place)
        chosen = tuple(names or all_reduce_names())
        samples: dict[str, dict[int, list[float]]] = {place.backend: {}}
        samples |= {name: {} for name in chosen}
        for number, each in enumerate(nbytes, 1):
            tell(number, len(nbytes), size(each))
            schedules = {n: schedule_for(n, place.world_size, each) for n in chosen}
            for name, times in slowest(place.each(_timed, schedules, each, repeats)).items():
                samples[name][each] = times
        memory = sum(place.each(peak_memory))
        tell(len(nbytes) + 1, len(nbytes), "")
        return AlgorithmTimes(place.world_size, place.backend, samples, memory)
