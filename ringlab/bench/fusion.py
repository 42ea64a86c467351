"""Many tensors: one at a time, fused, started together, or coalesced by torch."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ringlab.bench.bandwidth import busbw, columns, gb, measure_peak
from ringlab.bench.figures import middle_half
from ringlab.bench.ranks import AnswerMissing, Progress, ground, progress_for
from ringlab.bench.timing import device, peak_memory, slowest, take_turns
from ringlab.preformatted import preformatted
from ringlab.trace.traffic import size
from ringlab.words import bench as words
from ringlab.world.run import NotWritten

if TYPE_CHECKING:
    from torch import Tensor

Method = Callable[[list["Tensor"]], None]

COUNTS = (4, 16, 64, 256)
SIZES = (1 << 10, 16 << 10, 256 << 10, 4 << 20)
MOST_BYTES = 128 << 20

ONE, FUSED, ASYNC, COALESCED = words.FUSION_METHODS


def one_at_a_time(tensors: list[Tensor]) -> None:
    """Each tensor waits for the one before."""
    import torch.distributed as dist

    for tensor in tensors:
        dist.all_reduce(tensor)


def fused(tensors: list[Tensor]) -> None:
    """Copy into one tensor, one all_reduce, copy back. One dtype, contiguous tensors."""
    import torch
    import torch.distributed as dist

    flat = torch.cat([tensor.view(-1) for tensor in tensors])
    dist.all_reduce(flat)
    parts = flat.split([tensor.numel() for tensor in tensors])
    for tensor, part in zip(tensors, parts, strict=True):
        tensor.copy_(part.view_as(tensor))


def started_together(tensors: list[Tensor]) -> None:
    """Start all, then wait for all."""
    import torch.distributed as dist

    for work in [dist.all_reduce(tensor, async_op=True) for tensor in tensors]:
        work.wait()


def coalesced(tensors: list[Tensor]) -> None:
    """torch's own: one call of the backend with the whole list."""
    from torch.distributed.distributed_c10d import _coalescing_manager, all_reduce

    with _coalescing_manager():
        for tensor in tensors:
            all_reduce(tensor)


METHODS: dict[str, Method] = {
    ONE: one_at_a_time,
    FUSED: fused,
    ASYNC: started_together,
    COALESCED: coalesced,
}

Point = tuple[int, int]
"""How many tensors, and the bytes of each."""


@dataclass
class FusionSweep:
    """``samples[count, nbytes][method]``: seconds, one entry a repetition, the slowest rank's."""

    world_size: int
    backend: str
    peak: float
    samples: dict[Point, dict[str, list[float]]] = field(repr=False)
    memory: int = 0

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(next(iter(self.samples.values())))

    def median(self, count: int, nbytes: int, method: str) -> float:
        """Seconds. Raises LookupError where nothing was measured."""
        return statistics.median(self._at(count, nbytes)[method])

    def spread(self, count: int, nbytes: int, method: str) -> tuple[float, float]:
        """Seconds between which the middle half lies."""
        return middle_half(self._at(count, nbytes)[method])

    def gain(self, count: int, nbytes: int, method: str = FUSED) -> float:
        """How many times as long one at a time takes, median over median."""
        return self.median(count, nbytes, ONE) / self.median(count, nbytes, method)

    def utilisation(self, count: int, nbytes: int, method: str = FUSED) -> float:
        """busbw over the peak of the same run."""
        seconds = self.median(count, nbytes, method)
        return busbw(count * nbytes, seconds, self.world_size) / self.peak if self.peak else 0.0

    def _at(self, count: int, nbytes: int) -> dict[str, list[float]]:
        if (count, nbytes) not in self.samples:
            raise LookupError(words.NO_POINT.format(count=count, nbytes=nbytes))
        return self.samples[count, nbytes]

    def text(self) -> str:
        """A row for each point, a column for each method."""
        rows: list[tuple[str, ...]] = [
            (words.FUSION_FIRST, *self.methods, words.FUSION_UTILISATION)
        ]
        for count, nbytes in self.samples:
            cells = []
            for method in self.methods:
                shape = words.FUSION_TIME if method == ONE else words.FUSION_CELL
                ms = 1e3 * self.median(count, nbytes, method)
                cells.append(shape.format(ms=ms, gain=self.gain(count, nbytes, method)))
            used = f"{100 * self.utilisation(count, nbytes):.0f} %"
            point = words.FUSION_POINT.format(count=count, size=size(nbytes))
            rows.append((point, *cells, used))
        samples = next(iter(self.samples.values()))[ONE]
        head = words.FUSION.format(
            world_size=self.world_size, backend=self.backend, count=len(samples), peak=gb(self.peak)
        )
        return "\n".join([head, *columns(rows)])

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "measured", table=True)

    def to_json(self) -> dict[str, Any]:
        """Seconds of every sample."""
        return {
            "experiment": "fusion",
            "world_size": self.world_size,
            "backend": self.backend,
            "peak": self.peak,
            "memory": self.memory,
            "points": [
                {
                    "count": count,
                    "nbytes": nbytes,
                    "method": method,
                    "seconds": samples,
                    "median": statistics.median(samples),
                    "busbw": busbw(count * nbytes, statistics.median(samples), self.world_size),
                }
                for (count, nbytes), by_method in self.samples.items()
                for method, samples in by_method.items()
            ],
        }

    def chart(self) -> Any:
        """A Chart: the gain at each count and size."""
        from ringlab.bench.charts import gain_chart

        return gain_chart(self)


def _timed(methods: Mapping[str, Method], count: int, nbytes: int, repeats: int) -> Any:
    """On a rank: each method, checked once, then timed in turns."""
    import functools

    import torch
    import torch.distributed as dist

    rank, world_size = dist.get_rank(), dist.get_world_size()
    tensors = [torch.zeros(nbytes // 4, device=device()) for _ in range(count)]
    actions = {label: functools.partial(method, tensors) for label, method in methods.items()}
    for label, action in actions.items():
        for place, tensor in enumerate(tensors):
            tensor.fill_((rank + 1) * (place + 1))
        action()
        for place, tensor in enumerate(tensors):
            if not bool((tensor == (place + 1) * world_size * (world_size + 1) / 2).all()):
                raise RuntimeError(words.WRONG_SUM.format(label=label, rank=rank))
    for tensor in tensors:
        tensor.zero_()
    # Each has run once, for its sums.
    return take_turns(actions, repeats, warm_up=1)


def sweep_fusion(
    counts: Sequence[int] = COUNTS,
    nbytes: Sequence[int] = SIZES,
    world_size: int = 4,
    repeats: int = 7,
    methods: Mapping[str, Method] | None = None,
    most_bytes: int = MOST_BYTES,
    progress: Progress | None = None,
) -> FusionSweep | NotWritten:
    """Time the four ways, and ``methods`` of your own, at every count and size (bytes, float32).

    Each is checked for its sums, then they take turns; a sample is the slowest rank's. Points of
    more than ``most_bytes`` a rank are left out: four ranks need several times as much. Raises
    ValueError where no point is left. A method that raises NotImplementedError gives a NotWritten.
    """
    points = [(c, n) for n in nbytes for c in counts if c * n <= most_bytes]
    if not points:
        raise ValueError(words.BAD_SWEEP)
    every = METHODS | dict(methods or {})
    with ground(world_size) as place:
        tell = progress or progress_for(place)
        tell(1, len(points) + 1, words.PEAK)
        peak = measure_peak(place)
        samples: dict[Point, dict[str, list[float]]] = {}
        try:
            for number, (count, each) in enumerate(points, 2):
                name = words.FUSION_POINT.format(count=count, size=size(each))
                tell(number, len(points) + 1, name)
                samples[count, each] = slowest(place.each(_timed, every, count, each, repeats))
            peak = max(peak, measure_peak(place))
        except AnswerMissing:
            return NotWritten(", ".join(f.__name__ for f in (methods or {}).values()))
        finally:
            tell(len(points) + 2, len(points) + 1, "")
        memory = sum(place.each(peak_memory))
        return FusionSweep(place.world_size, place.backend, peak, samples, memory)
