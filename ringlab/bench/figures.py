"""One measured figure, with its spread."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from ringlab.words import bench as words


@dataclass(frozen=True)
class Figure:
    """A median with the middle half of its samples. unit: "s" or "times"."""

    name: str
    unit: str
    median: float
    low: float
    high: float
    samples: int

    @classmethod
    def of_seconds(cls, name: str, samples: list[float]) -> Figure:
        """From durations."""
        low, high = middle_half(samples)
        return cls(name, "s", statistics.median(samples), low, high, len(samples))

    @classmethod
    def of_ratio(cls, name: str, slow: list[float], fast: list[float]) -> Figure:
        """Median over median; the spread is that of `slow` over the median of `fast`."""
        base = statistics.median(fast)
        low, high = middle_half(slow)
        ratio = statistics.median(slow) / base
        return cls(name, "times", ratio, low / base, high / base, min(len(slow), len(fast)))

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def row(self) -> tuple[str, str, str, str]:
        """Name, median, middle half and number of samples, for a table."""
        show = seconds if self.unit == "s" else times
        spread = words.SPREAD.format(low=show(self.low), high=show(self.high))
        return self.name, show(self.median), spread if self.samples > 3 else "", str(self.samples)


def middle_half(samples: list[float]) -> tuple[float, float]:
    """Between what the middle half of the samples lies."""
    ordered = sorted(samples)
    quarter = len(ordered) // 4
    return ordered[quarter], ordered[-1 - quarter]


def seconds(value: float) -> str:
    """A duration in the unit that suits it."""
    if value >= 1:
        return f"{value:.3g} s"
    return f"{1e3 * value:.3g} ms"


def times(value: float) -> str:
    """A ratio."""
    return f"{value:.3g}×"
