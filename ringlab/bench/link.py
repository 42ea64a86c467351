"""alpha and beta of a message between two ranks, measured."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ringlab.bench.bandwidth import columns
from ringlab.bench.figures import seconds as seconds_text
from ringlab.bench.ranks import ground
from ringlab.bench.timing import device, slowest, take_turns
from ringlab.cost import Fit, fit
from ringlab.preformatted import preformatted
from ringlab.trace.traffic import size
from ringlab.words import bench as words

if TYPE_CHECKING:
    from ringlab.bench.charts import Chart

SIZES = tuple(1 << k for k in range(6, 25, 2))


@dataclass
class LinkTimes:
    """``samples[nbytes]``: seconds of one message, half a ping-pong."""

    backend: str
    samples: dict[int, list[float]] = field(repr=False)

    def least(self, most: int | None = None) -> list[tuple[int, float]]:
        """(bytes, seconds) of the fastest sample of each size, as ``cost.fit`` takes.

        What disturbs a machine only adds to a time. Sizes up to ``most`` bytes, or all.
        """
        return [(n, min(every)) for n, every in self.samples.items() if most is None or n <= most]

    def fit(self, most: int | None = None) -> Fit:
        """alpha and beta from the fastest samples of all sizes, or of those up to ``most``."""
        return fit(self.least(most))

    def median(self, nbytes: int) -> float:
        """Seconds."""
        return statistics.median(self.samples[nbytes])

    def text(self) -> str:
        """A row for each size, with what the fitted line says there."""
        found = self.fit()
        rows = [words.LINK_COLUMNS]
        for nbytes, samples in self.samples.items():
            rows.append(
                (
                    size(nbytes),
                    seconds_text(self.median(nbytes)),
                    seconds_text(min(samples)),
                    seconds_text(found.seconds(nbytes)),
                    f"{100 * found.errors[nbytes]:+.0f} %",
                )
            )
        head = words.LINK.format(
            backend=self.backend,
            count=len(next(iter(self.samples.values()))),
            alpha=1e6 * found.alpha,
            rate=words.NO_RATE if not found.beta else f"{1e-9 / found.beta:.3g}",
        )
        return "\n".join([head, *columns(rows)])

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "measured", table=True)

    def chart(self) -> Chart:
        """The fitted line over the points."""
        from ringlab.bench.charts import link_chart

        return link_chart(self)


def _ping_pong(nbytes: int, repeats: int, trips: int) -> dict[str, list[float]]:
    """On a rank: to and fro ``trips`` times for each sample."""
    import torch
    import torch.distributed as dist

    rank = dist.get_rank()
    tensor = torch.zeros(nbytes, dtype=torch.uint8, device=device())

    def to_and_fro() -> None:
        for _ in range(trips):
            if rank == 0:
                dist.send(tensor, 1)
                dist.recv(tensor, 1)
            elif rank == 1:
                dist.recv(tensor, 0)
                dist.send(tensor, 0)

    return take_turns({"message": to_and_fro}, repeats)


def measure_link(nbytes: Sequence[int] = SIZES, repeats: int = 9) -> LinkTimes:
    """Time messages between two ranks: each sample is half of a ping-pong, the mean of some."""
    samples = {}
    with ground(2) as place:
        for each in nbytes:
            trips = 10 if each <= 1 << 16 else 2
            times = slowest(place.each(_ping_pong, each, repeats, trips))["message"]
            samples[each] = [seconds / (2 * trips) for seconds in times]
        return LinkTimes(place.backend, samples)
