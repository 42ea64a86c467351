"""The fusion sweep to walk through: two sliders choose a measured point, bars show its times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from ringlab.view.explorer import time_text
from ringlab.view.style import FONT, INK, MUTED, PAPER, RANK_COLOURS, bytes_text, text
from ringlab.words import explorer as words

if TYPE_CHECKING:
    from ringlab.bench.fusion import FusionSweep

WIDTH, ROW, LEFT, RIGHT, TOP = 720, 34, 130, 170, 46


def draw_point(sweep: FusionSweep, count: int, nbytes: int) -> str:
    """SVG: a bar for each method at one measured point, as long as its median."""
    title = words.POINT_TITLE.format(
        count=count, size=bytes_text(nbytes), total=bytes_text(count * nbytes), n=sweep.world_size
    )
    methods = sweep.methods
    medians = [sweep.median(count, nbytes, method) for method in methods]
    widest = max(sweep.spread(count, nbytes, method)[1] for method in methods)
    scale = (WIDTH - LEFT - RIGHT) / max(widest, *medians)
    height = TOP + ROW * len(methods) + 34
    first = methods[0]
    says = words.POINT_SAYS.format(first=first, gain=sweep.gain(count, nbytes), other=methods[1])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'style="max-width:{WIDTH}px;width:100%" font-family="{FONT}">',
        f"<title>{title}</title><desc>{says}</desc>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        text(10, 26, title, 15, INK, weight=600),
    ]
    for row, (method, median) in enumerate(zip(methods, medians, strict=True)):
        y = TOP + ROW * row
        low, high = (LEFT + scale * end for end in sweep.spread(count, nbytes, method))
        colour = RANK_COLOURS[row % 6]
        parts.append(text(LEFT - 8, y + 18, method, 13, INK, "end"))
        parts.append(
            f'<rect class="bar" x="{LEFT}" y="{y}" width="{max(1.0, scale * median):.1f}" '
            f'height="24" fill="{colour}"/>'
        )
        parts.append(
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y + 12}" y2="{y + 12}" '
            f'stroke="{INK}" stroke-width="2"/>'
        )
        label = time_text(median)
        if method != first:
            gain = sweep.gain(count, nbytes, method)
            label = words.BAR.format(time=label, gain=gain)
        at = max(LEFT + scale * median, high) + 8
        parts.append(text(at, y + 17, label, 13, INK))
    parts.append(text(10, height - 10, says, 13, MUTED))
    return "".join(parts) + "</svg>"


class FusionExplorer(widgets.VBox):  # type: ignore[misc]
    """Sliders for the number of tensors and the size of each."""

    def __init__(self, sweep: FusionSweep) -> None:
        self.sweep = sweep
        counts = sorted({count for count, _ in sweep.samples})
        sizes = sorted({nbytes for _, nbytes in sweep.samples})
        self._count = _slider(words.TENSOR_COUNT, [(str(c), c) for c in counts], counts[-1])
        self._size = _slider(words.TENSOR_SIZE, [(bytes_text(n), n) for n in sizes], sizes[0])
        self._count.add_class("ringlab-fusion-count")
        self._size.add_class("ringlab-fusion-size")
        self._picture = widgets.HTML()
        for slider in (self._count, self._size):
            slider.observe(lambda _: self._redraw(), "value")
        super().__init__([self._picture, self._count, self._size])
        self.add_class("ringlab-fusion")
        self._redraw()

    @property
    def svg(self) -> str:
        """The picture on show."""
        return str(self._picture.value)

    def _redraw(self) -> None:
        count, nbytes = self._count.value, self._size.value
        if (count, nbytes) in self.sweep.samples:
            self._picture.value = draw_point(self.sweep, count, nbytes)
        else:
            self._picture.value = words.NOT_MEASURED.format(count=count, size=bytes_text(nbytes))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live widget, and beside it the chart of all points for readers without a kernel."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if not bundle:
            return bundle
        chart = self.sweep.chart()
        bundle["image/png"] = chart.png()
        bundle["text/plain"] = chart.alt
        return bundle, {"image/png": {"alt": chart.alt}}


def _slider(label: str, options: Sequence[tuple[str, int]], start: int) -> Any:
    return widgets.SelectionSlider(
        options=options,
        value=start,
        description=label,
        style={"description_width": "130px"},
        layout=widgets.Layout(width="min(480px, 100%)"),
    )


def explore_fusion(sweep: Any) -> Any:
    """Walk through a measured sweep. What is no sweep, such as a missing answer, shows itself."""
    return FusionExplorer(sweep) if hasattr(sweep, "samples") else sweep
