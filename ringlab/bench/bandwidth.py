"""algbw, busbw and utilisation: what a time says about the links.

The definitions are those of nccl-tests (doc/PERFORMANCE.md). Bandwidths are bytes a second.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ringlab.bench.figures import middle_half
from ringlab.bench.figures import seconds as seconds_text
from ringlab.bench.ranks import Ground, Progress, ground, progress_for
from ringlab.bench.timing import device, slowest, take_turns
from ringlab.preformatted import preformatted
from ringlab.trace.traffic import size
from ringlab.words import bench as words

MIB = 1 << 20
PEAK_SIZES = (MIB, 4 * MIB, 16 * MIB)
SIZES = tuple(1 << k for k in range(10, 27, 2))


def algbw(nbytes: float, seconds: float) -> float:
    """Bytes of the tensor for each second. nbytes: as nccl-tests counts its size."""
    return nbytes / seconds


def bus_factor(collective: str, world_size: int) -> float:
    """busbw / algbw: bytes that the busiest link can't avoid, for each byte of the tensor.

    Raises ValueError for a collective that has none here.
    """
    share = (world_size - 1) / world_size
    factors = {
        "all_reduce": 2 * share,
        "reduce_scatter": share,
        "all_gather": share,
        "all_to_all": share,
        "broadcast": 1.0,
        "reduce": 1.0,
        "sendrecv": 1.0,
    }
    if collective not in factors:
        raise ValueError(words.NO_FACTOR.format(name=collective, known=", ".join(factors)))
    return factors[collective]


def busbw(nbytes: float, seconds: float, world_size: int, collective: str = "all_reduce") -> float:
    """algbw times the factor that makes it comparable with the speed of a link."""
    return algbw(nbytes, seconds) * bus_factor(collective, world_size)


def gb(bandwidth: float) -> str:
    """In GB/s, 10**9 bytes a second as nccl-tests counts them."""
    return f"{bandwidth / 1e9:.3g}"


def _neighbours(nbytes: int, repeats: int) -> dict[str, list[float]]:
    """On a rank: send to the right and receive from the left at the same time."""
    import torch
    import torch.distributed as dist

    rank, world_size = dist.get_rank(), dist.get_world_size()
    mine = torch.zeros(nbytes, dtype=torch.uint8, device=device())
    theirs = torch.empty_like(mine)

    def exchange() -> None:
        operations = [
            dist.P2POp(dist.irecv, theirs, (rank - 1) % world_size),
            dist.P2POp(dist.isend, mine, (rank + 1) % world_size),
        ]
        for work in dist.batch_isend_irecv(operations):
            work.wait()

    return take_turns({"exchange": exchange}, repeats)


def measure_peak(place: Ground, repeats: int = 9) -> float:
    """The best bytes a second, median of each size, that every rank sends while it receives.

    Measure it before and after what it is compared with: a machine is not the same all the time.
    All ranks at the same time, each to its right neighbour: what a ring would do if adding and
    starting cost nothing. 0 for a single rank.
    """
    if place.world_size == 1:
        return 0.0
    best = 0.0
    for nbytes in PEAK_SIZES:
        samples = slowest(place.each(_neighbours, nbytes, repeats))["exchange"]
        best = max(best, nbytes / statistics.median(samples))
    return best


@dataclass
class Bandwidth:
    """all_reduce of the backend at each size, beside the peak of the same run."""

    world_size: int
    backend: str
    peak: float
    samples: dict[int, list[float]] = field(repr=False)

    def median(self, nbytes: int) -> float:
        """Seconds."""
        return statistics.median(self.samples[nbytes])

    def busbw(self, nbytes: int) -> float:
        """Bytes a second."""
        return busbw(nbytes, self.median(nbytes), self.world_size)

    def utilisation(self, nbytes: int) -> float:
        """busbw over the peak; 0 without a peak."""
        return self.busbw(nbytes) / self.peak if self.peak else 0.0

    def text(self) -> str:
        """A row for each size."""
        rows = [words.BANDWIDTH_COLUMNS]
        for nbytes, samples in self.samples.items():
            median = self.median(nbytes)
            low, high = middle_half(samples)
            rows.append(
                (
                    size(nbytes),
                    seconds_text(median),
                    words.SPREAD.format(low=seconds_text(low), high=seconds_text(high)),
                    gb(algbw(nbytes, median)),
                    gb(self.busbw(nbytes)),
                    f"{100 * self.utilisation(nbytes):.0f} %",
                )
            )
        head = words.BANDWIDTH.format(
            world_size=self.world_size,
            backend=self.backend,
            count=len(next(iter(self.samples.values()))),
            peak=gb(self.peak),
        )
        return "\n".join([head, *columns(rows)])

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "measured", table=True)

    def to_json(self) -> dict[str, Any]:
        """Seconds, and bytes a second."""
        points = [
            {
                "nbytes": nbytes,
                "seconds": samples,
                "median": self.median(nbytes),
                "algbw": algbw(nbytes, self.median(nbytes)),
                "busbw": self.busbw(nbytes),
                "utilisation": self.utilisation(nbytes),
            }
            for nbytes, samples in self.samples.items()
        ]
        return {
            "experiment": "bandwidth",
            "world_size": self.world_size,
            "backend": self.backend,
            "peak": self.peak,
            "points": points,
        }

    def chart(self) -> Any:
        """A Chart: busbw over size, and the peak."""
        from ringlab.bench.charts import bandwidth_chart

        return bandwidth_chart(self)


def columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Cells set right in columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in rows]


def _all_reduce(nbytes: int, repeats: int) -> dict[str, list[float]]:
    import torch
    import torch.distributed as dist

    tensor = torch.zeros(nbytes // 4, device=device())
    return take_turns({"all_reduce": lambda: dist.all_reduce(tensor)}, repeats)


def measure_bandwidth(
    world_size: int = 4,
    nbytes: Sequence[int] = SIZES,
    repeats: int = 9,
    progress: Progress | None = None,
) -> Bandwidth:
    """The backend's all_reduce (float32, in place) at each size, and the peak, in one run."""
    with ground(world_size) as place:
        tell = progress or progress_for(place)
        count = len(nbytes) + 1
        tell(1, count, words.PEAK)
        peak = measure_peak(place, repeats)
        samples = {}
        for number, each in enumerate(nbytes, 2):
            tell(number, count, size(each))
            samples[each] = slowest(place.each(_all_reduce, each, repeats))["all_reduce"]
        peak = max(peak, measure_peak(place, repeats))
        tell(count + 1, count, "")
        return Bandwidth(place.world_size, place.backend, peak, samples)
