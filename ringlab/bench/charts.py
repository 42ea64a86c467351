"""Charts of measured experiments, as matplotlib Figures. Colours are those of the course."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ringlab.trace.traffic import size
from ringlab.view.still import small_png
from ringlab.view.style import INK, LINE, MUTED, PAPER, RANK_COLOURS
from ringlab.words import bench as words

if TYPE_CHECKING:
    from ringlab.bench.all_reduces import AlgorithmTimes
    from ringlab.bench.bandwidth import Bandwidth
    from ringlab.bench.fusion import FusionSweep
    from ringlab.bench.link import LinkTimes
    from ringlab.cost import Topology

DPI = 110
MARKERS = "osD^vP*X"
COLOURS = (*RANK_COLOURS[:6], MUTED, RANK_COLOURS[7])
"""Those of the ranks, without yellow: a thin line of it can't be seen."""


@dataclass(frozen=True)
class Chart:
    """A figure that shows itself in a notebook, with a text for those who don't see it."""

    figure: Figure
    alt: str

    def png(self) -> bytes:
        """As PNG."""
        return small_png(self.figure)

    def save(self, path: Path | str) -> None:
        """Into a file; the format is the name's ending."""
        self.figure.savefig(path, dpi=DPI)

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        data = {"image/png": self.png(), "text/plain": self.alt}
        return data, {"image/png": {"alt": self.alt}}


def _axes(width: float = 8.2, height: float = 4.6) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), facecolor=PAPER, dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=MUTED)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _size_axis(axes: Axes, sizes: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    shown = list(sizes)[:: max(1, len(sizes) // 9)]
    axes.set_xticks(shown, [size(each) for each in shown])
    axes.set_xlabel(words.SIZE_AXIS, color=INK)


def algorithms_chart(
    times: AlgorithmTimes, topology: Topology | None = None, names: Sequence[str] | None = None
) -> Chart:
    """Time over size on two logarithmic axes; with a topology the model's lines too."""
    from ringlab.bench.all_reduces import schedule_for
    from ringlab.cost import price

    figure, axes = _axes(9.4)
    own = [name for name in times.samples if name != times.backend]
    shown = list(names) if names is not None else list(times.samples)
    sizes = list(next(iter(times.samples.values())))
    for name in shown:
        place = own.index(name) if name in own else len(COLOURS) - 1
        colour = COLOURS[place % len(COLOURS)]
        medians = [times.median(name, each) for each in sizes]
        spreads = [times.spread(name, each) for each in sizes]
        if topology is not None:
            spreads = [(times.least(name, n), m) for n, m in zip(sizes, medians, strict=True)]
            medians = [low for low, _ in spreads]
        below = [m - low for m, (low, _) in zip(medians, spreads, strict=True)]
        above = [high - m for m, (_, high) in zip(medians, spreads, strict=True)]
        axes.errorbar(
            sizes,
            medians,
            yerr=[below, above],
            fmt=MARKERS[place % len(MARKERS)],
            linestyle="" if topology is not None else "-",
            markersize=5,
            linewidth=1.2,
            color=colour,
            label=name.replace("_", " "),
        )
        if topology is not None and name in own:
            model = [
                float(price(schedule_for(name, times.world_size, n), topology, n).seconds)
                for n in sizes
            ]
            axes.plot(sizes, model, color=colour, linewidth=1.4)
    axes.set_yscale("log")
    _size_axis(axes, sizes)
    axes.set_ylabel(words.TIME_AXIS, color=INK)
    note = words.MEASURED_POINTS if topology is None else words.POINTS_AND_MODEL
    axes.legend(
        frameon=False,
        fontsize=9,
        title=note,
        title_fontsize=9,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )
    return Chart(figure, words.TIMES_ALT.format(note=note, table=times.text()))


def link_chart(found: LinkTimes) -> Chart:
    """Messages between two ranks, and the line through them, on two logarithmic axes."""
    figure, axes = _axes(height=3.8)
    sizes = list(found.samples)
    least = [min(found.samples[each]) for each in sizes]
    above = [found.median(n) - low for n, low in zip(sizes, least, strict=True)]
    bars = [[0.0] * len(sizes), above]
    axes.errorbar(sizes, least, yerr=bars, fmt="o", color=COLOURS[0], label=words.MESSAGE)
    line = found.fit()
    between = [sizes[0] * (sizes[-1] / sizes[0]) ** (k / 60) for k in range(61)]
    axes.plot(between, [line.seconds(n) for n in between], color=COLOURS[5], label=words.LINE)
    axes.set_yscale("log")
    _size_axis(axes, sizes)
    axes.set_ylabel(words.TIME_AXIS, color=INK)
    axes.legend(frameon=False, fontsize=9)
    return Chart(figure, found.text())


def bandwidth_chart(found: Bandwidth) -> Chart:
    """busbw over size, the peak as a line."""
    figure, axes = _axes(height=3.6)
    sizes = list(found.samples)
    rates = [found.busbw(each) / 1e9 for each in sizes]
    axes.plot(sizes, rates, "o-", color=RANK_COLOURS[0], label=words.BUSBW)
    if found.peak:
        axes.axhline(found.peak / 1e9, color=RANK_COLOURS[5], ls="--", label=words.PEAK_LINE)
    axes.set_ylim(bottom=0)
    _size_axis(axes, sizes)
    axes.set_ylabel(words.BANDWIDTH_AXIS, color=INK)
    axes.legend(frameon=False, fontsize=9)
    return Chart(figure, found.text())


def gain_chart(sweep: FusionSweep) -> Chart:
    """A cell for each count and size: how many times as long one at a time takes."""
    import math

    import numpy as np

    counts = sorted({count for count, _ in sweep.samples})
    sizes = sorted({nbytes for _, nbytes in sweep.samples})
    gains = np.full((len(counts), len(sizes)), np.nan)
    for count, nbytes in sweep.samples:
        gains[counts.index(count), sizes.index(nbytes)] = sweep.gain(count, nbytes)
    figure, axes = _axes(7.2, 0.9 + 0.55 * len(counts))
    axes.grid(False)
    # 1 is the colour in the middle: on one side fusion pays, on the other it costs.
    most = max(2.0, float(np.nanmax(np.abs(np.log2(gains)))))
    axes.imshow(np.log2(gains), cmap="PuOr", vmin=-most, vmax=most, aspect="auto", origin="lower")
    for (row, column), gain in np.ndenumerate(gains):
        if not math.isnan(gain):
            dark = abs(math.log2(gain)) > 0.6 * most
            axes.text(
                column,
                row,
                f"{gain:.2g}×" if gain < 10 else f"{gain:.0f}×",
                ha="center",
                va="center",
                color=PAPER if dark else INK,
                weight="bold",
            )
    axes.set_xticks(range(len(sizes)), [size(each) for each in sizes])
    axes.set_yticks(range(len(counts)), [str(count) for count in counts])
    axes.set_xlabel(words.TENSOR_SIZE, color=INK)
    axes.set_ylabel(words.TENSOR_COUNT, color=INK)
    title = words.GAIN_TITLE.format(world_size=sweep.world_size, backend=sweep.backend)
    axes.set_title(title, fontsize=11, loc="left", color=INK)
    return Chart(figure, gain_alt(sweep))


def gain_alt(sweep: FusionSweep) -> str:
    """The same in words."""
    points = "; ".join(
        words.GAIN_POINT_ALT.format(count=c, size=size(n), gain=sweep.gain(c, n))
        for c, n in sweep.samples
    )
    return words.GAIN_ALT.format(points=points)
