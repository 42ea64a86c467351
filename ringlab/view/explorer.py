"""The cost explorer: what each all-reduce costs by the model, while you drag N, M, alpha, beta."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from ringlab.cost import Link, Topology, prices
from ringlab.view.style import (
    FONT,
    INK,
    LINE,
    MUTED,
    PAPER,
    RANK_COLOURS,
    bytes_text,
    text,
    width_of,
    wrap,
)
from ringlab.words import explorer as words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = tuple(1 << k for k in range(8, 31))
"""256 B to 1 GiB: the sizes at which the model is asked."""
WORLD_SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
NODE_SIZES = (1, 2, 4, 8, 16)
COLOURS = dict(zip(words.ALGORITHM_NAMES, (*RANK_COLOURS[:6], MUTED), strict=True))
"""Those of the ranks, without yellow: a thin line of it can't be seen."""
DASHES = ("", "7 3", "2 3", "10 3 2 3", "5 2", "1 2", "12 4")
WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 74, 176, 44, 92


@dataclass(frozen=True)
class Setting:
    """What the sliders say. Alphas are seconds, bandwidths bytes a second."""

    world_size: int = 24
    ranks_per_node: int = 8
    alpha_inside: float = 5e-6
    bandwidth_inside: float = 200e9
    alpha_between: float = 20e-6
    bandwidth_between: float = 25e9
    nbytes: int = 1 << 20

    @property
    def nodes(self) -> int:
        return -(-self.world_size // self.ranks_per_node)

    @property
    def topology(self) -> Topology:
        """Ranks fill node after node; each node has a network card for each rank."""
        inside = Link(self.alpha_inside, 1 / self.bandwidth_inside)
        between = Link(self.alpha_between, 1 / self.bandwidth_between)
        size = self.ranks_per_node
        return Topology(self.nodes, size, inside, between, nics=size)


@dataclass(frozen=True)
class Curves:
    """``seconds[name][i]`` at ``SIZES[i]``."""

    setting: Setting
    seconds: dict[str, tuple[float, ...]]

    @cached_property
    def fastest(self) -> tuple[str, ...]:
        """The name of the cheapest at each size."""
        return tuple(
            min(self.seconds, key=lambda name: self.seconds[name][i]) for i in range(len(SIZES))
        )

    def at(self, name: str, nbytes: float) -> float:
        """Seconds between two of the sizes, on a straight line on logarithmic axes."""
        i = max(1, next(k for k, size in enumerate(SIZES) if size >= nbytes))
        share = math.log(nbytes / SIZES[i - 1]) / math.log(SIZES[i] / SIZES[i - 1])
        low, high = self.seconds[name][i - 1 : i + 1]
        return float(low * (high / low) ** share)

    def crossings(self) -> list[tuple[float, str, str]]:
        """(bytes, before, after) wherever another algorithm becomes the cheapest."""
        found = []
        for i, (before, after) in enumerate(zip(self.fastest, self.fastest[1:], strict=False)):
            if before != after:
                found.append((self._meeting(before, after, i), before, after))
        return found

    def _meeting(self, before: str, after: str, i: int) -> float:
        """Where two curves meet between two sizes, straight lines on logarithmic axes."""
        gaps = [math.log(self.seconds[after][j] / self.seconds[before][j]) for j in (i, i + 1)]
        share = gaps[0] / (gaps[0] - gaps[1]) if gaps[0] != gaps[1] else 0.5
        return float(SIZES[i] * (SIZES[i + 1] / SIZES[i]) ** min(max(share, 0.0), 1.0))


def curves_of(setting: Setting) -> Curves:
    """The model's answer at every size."""
    by_size = [prices(setting.world_size, float(n), setting.topology) for n in SIZES]
    names = [name for name in words.ALGORITHM_NAMES if name in by_size[0]]
    return Curves(setting, {name: tuple(float(p[name].seconds) for p in by_size) for name in names})


def summary(curves: Curves) -> str:
    """The picture in two or three sentences."""
    setting = curves.setting
    now = {
        name: float(price.seconds)
        for name, price in prices(
            setting.world_size, float(setting.nbytes), setting.topology
        ).items()
    }
    ranked = sorted(now, key=lambda name: now[name])
    sentences = [
        words.BEST.format(
            size=bytes_text(setting.nbytes),
            name=words.ALGORITHM_NAMES[ranked[0]],
            time=time_text(now[ranked[0]]),
        ),
        words.SECOND.format(
            name=words.ALGORITHM_NAMES[ranked[1]], ratio=now[ranked[1]] / now[ranked[0]]
        ),
    ]
    points = [
        words.CROSSING.format(
            size=bytes_text(at),
            before=words.ALGORITHM_NAMES[before],
            after=words.ALGORITHM_NAMES[after],
        )
        for at, before, after in curves.crossings()
    ]
    sentences.append(words.CROSSES.format(points=", ".join(points)) if points else words.NEVER)
    return " ".join(sentences)


def time_text(seconds: float) -> str:
    """In the unit that suits it."""
    for unit, template in (
        (1.0, words.SECONDS),
        (1e-3, words.MILLISECONDS),
        (1e-6, words.MICRO),
    ):
        if seconds >= unit:
            return template.format(value=seconds / unit)
    return words.NANO.format(value=1e9 * seconds)


def title(setting: Setting) -> str:
    """How many ranks on how many nodes."""
    nodes = words.ONE_NODE
    if setting.nodes > 1:
        nodes = words.NODES.format(count=setting.nodes, size=setting.ranks_per_node)
    return words.TITLE.format(n=setting.world_size, nodes=nodes)


class _Plane:
    """From bytes and seconds to places in the picture, both axes logarithmic."""

    def __init__(self, curves: Curves) -> None:
        every = [s for line in curves.seconds.values() for s in line if s > 0]
        self.low = 10.0 ** math.floor(math.log10(min(every)))
        self.high = 10.0 ** math.ceil(math.log10(max(every)))

    def x(self, nbytes: float) -> float:
        share = math.log(nbytes / SIZES[0]) / math.log(SIZES[-1] / SIZES[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, seconds: float) -> float:
        share = math.log(max(seconds, self.low) / self.low) / math.log(self.high / self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def draw_curves(curves: Curves) -> str:
    """SVG: a line for each algorithm, the cheapest one thick, crossings and M marked."""
    plane, setting = _Plane(curves), curves.setting
    says = summary(curves)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'style="max-width:{WIDTH}px;width:100%" font-family="{FONT}">',
        f"<title>{title(setting)}</title>",
        f"<desc>{words.DESCRIPTION.format(summary=says)}</desc>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        text(LEFT, 24, title(setting), 15, INK, weight=600),
        *_axes(plane),
        *_lines(curves, plane),
        *_labels(curves, plane),
    ]
    x = plane.x(setting.nbytes)
    label = words.AT_M.format(size=bytes_text(setting.nbytes))
    parts.append(
        f'<line class="m" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" '
        f'stroke="{INK}" stroke-dasharray="3 3"/>'
    )
    parts.append(text(x, TOP - 6, label, 12, INK, "middle"))
    for number, line in enumerate(wrap(says, 13, WIDTH - LEFT - 20)[:3]):
        parts.append(text(LEFT, HEIGHT - 40 + 17 * number, line, 13, INK))
    return "".join(parts) + "</svg>"


def _axes(plane: _Plane) -> list[str]:
    parts = []
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for nbytes in SIZES[2::4]:
        x = plane.x(nbytes)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" stroke="{LINE}"/>')
        parts.append(text(x, bottom + 16, bytes_text(nbytes), 12, MUTED, "middle"))
    for power in range(round(math.log10(plane.low)), round(math.log10(plane.high)) + 1):
        y = plane.y(10.0**power)
        parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{LINE}"/>')
        parts.append(text(LEFT - 8, y + 4, time_text(10.0**power), 12, MUTED, "end"))
    parts.append(text((LEFT + right) / 2, bottom + 32, words.X_AXIS, 12, MUTED, "middle"))
    return parts


def _lines(curves: Curves, plane: _Plane) -> list[str]:
    parts = []
    for name, seconds in curves.seconds.items():
        points = " ".join(
            f"{plane.x(n):.1f},{plane.y(s):.1f}" for n, s in zip(SIZES, seconds, strict=True)
        )
        place = list(words.ALGORITHM_NAMES).index(name)
        dash = f' stroke-dasharray="{DASHES[place]}"' if DASHES[place] else ""
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{COLOURS[name]}" '
            f'stroke-width="1.8"{dash}/>'
        )
    best = [curves.seconds[name][i] for i, name in enumerate(curves.fastest)]
    for i, name in enumerate(curves.fastest[:-1]):
        parts.append(
            f'<line class="best" x1="{plane.x(SIZES[i]):.1f}" y1="{plane.y(best[i]):.1f}" '
            f'x2="{plane.x(SIZES[i + 1]):.1f}" y2="{plane.y(best[i + 1]):.1f}" '
            f'stroke="{COLOURS[name]}" stroke-width="6" stroke-opacity="0.35"/>'
        )
    for at, _, after in curves.crossings():
        parts.append(
            f'<circle class="crossing" cx="{plane.x(at):.1f}" '
            f'cy="{plane.y(curves.at(after, at)):.1f}" '
            f'r="5" fill="{PAPER}" stroke="{INK}" stroke-width="2"/>'
        )
    return parts


def _labels(curves: Curves, plane: _Plane) -> list[str]:
    """Names at the right end of the lines, moved apart where they would overlap."""
    ends = sorted((plane.y(seconds[-1]), name) for name, seconds in curves.seconds.items())
    places = _apart([y for y, _ in ends], 17, TOP, HEIGHT - BOTTOM)
    parts = []
    right = WIDTH - RIGHT
    for (y, name), place in zip(ends, places, strict=True):
        label = words.ALGORITHM_NAMES[name]
        size = 13 if width_of(label, 13) < RIGHT - 26 else 12
        parts.append(
            f'<line x1="{right}" y1="{y:.1f}" x2="{right + 16}" y2="{place:.1f}" '
            f'stroke="{COLOURS[name]}" stroke-width="1.4"/>'
        )
        dot = f'<circle cx="{right + 16}" cy="{place:.1f}" r="4" fill="{COLOURS[name]}"/>'
        parts += [dot, text(right + 24, place + 4, label, size, INK)]
    return parts


def _apart(wanted: Sequence[float], least: float, top: float, bottom: float) -> list[float]:
    """Ascending places near the wanted ones, ``least`` apart, the last one not below the bottom."""
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + least if placed else top))
    over = placed[-1] - bottom if placed else 0.0
    limit = bottom
    for i in reversed(range(len(placed))):
        if over > 0:
            placed[i] = min(placed[i], limit)
            limit = placed[i] - least
    return placed


def still(curves: Curves) -> Figure:
    """The same for readers without a kernel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 4.2), facecolor=PAPER, dpi=110, layout="constrained")
    axes = figure.add_subplot()
    for place, (name, seconds) in enumerate(curves.seconds.items()):
        shapes = ("-", "--", ":", "-.")
        axes.loglog(
            SIZES,
            seconds,
            shapes[place % len(shapes)],
            color=COLOURS[name],
            label=words.ALGORITHM_NAMES[name],
        )
    best = [curves.seconds[name][i] for i, name in enumerate(curves.fastest)]
    axes.loglog(SIZES, best, color=INK, linewidth=7, alpha=0.15, solid_capstyle="round")
    for at, _, _ in curves.crossings():
        axes.axvline(at, color=MUTED, linewidth=0.8, linestyle=":")
    shown = SIZES[2::4]
    axes.set_xticks(shown, [bytes_text(n) for n in shown])
    axes.minorticks_off()
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_xlabel(words.X_AXIS, color=INK)
    axes.set_ylabel(words.Y_AXIS, color=INK)
    axes.set_title(title(curves.setting), loc="left", fontsize=11, color=INK)
    axes.legend(frameon=False, fontsize=9)
    return figure


class CostExplorer(widgets.VBox):  # type: ignore[misc]
    """Sliders for N, the nodes, alpha and beta of both links, and M; the curves follow."""

    def __init__(self, setting: Setting | None = None) -> None:
        self._start = setting or Setting()
        self._sliders = {name: _slider(name, getattr(self._start, name)) for name in _STOPS}
        self._picture = widgets.HTML()
        self._picture.add_class("ringlab-explorer-picture")
        reset = widgets.Button(
            description=words.RESET, tooltip=words.RESET_TIP, layout=widgets.Layout(width="auto")
        )
        reset.add_class("ringlab-explorer-reset")
        reset.on_click(lambda _: self.reset())
        boxes = widgets.GridBox(
            [*self._sliders.values(), reset],
            layout=widgets.Layout(
                grid_template_columns="repeat(auto-fit, minmax(330px, 1fr))", max_width="760px"
            ),
        )
        for name, slider in self._sliders.items():
            slider.add_class(f"ringlab-explorer-{name.replace('_', '-')}")
            slider.observe(self._on_change, "value")
        super().__init__([self._picture, boxes])
        self.add_class("ringlab-explorer")
        self._redraw()

    @property
    def setting(self) -> Setting:
        """What the sliders say now."""
        return Setting(**{name: slider.value for name, slider in self._sliders.items()})

    @property
    def svg(self) -> str:
        """The picture on show."""
        return str(self._picture.value)

    def reset(self) -> None:
        """Back to where it began."""
        for name, slider in self._sliders.items():
            slider.unobserve(self._on_change, "value")
            slider.value = getattr(self._start, name)
            slider.observe(self._on_change, "value")
        self._redraw()

    def _on_change(self, change: dict[str, Any]) -> None:
        self._redraw()

    def _redraw(self) -> None:
        self._picture.value = draw_curves(curves_of(self.setting))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live explorer, and beside it a picture that stays when no kernel is there."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if not bundle:
            return bundle
        curves = curves_of(self.setting)
        alt = words.DESCRIPTION.format(summary=summary(curves))
        from ringlab.view.still import small_png

        bundle["image/png"] = small_png(still(curves))
        bundle["text/plain"] = alt
        return bundle, {"image/png": {"alt": alt}}


def _microseconds(alpha: float) -> str:
    return words.MICROSECONDS.format(value=1e6 * alpha)


def _gigabytes(bandwidth: float) -> str:
    return words.BANDWIDTH.format(value=bandwidth / 1e9)


ALPHAS = tuple(float(f"{k}e{power}") for power in (-7, -6, -5, -4) for k in (1, 2, 5))
BANDWIDTHS = tuple(float(f"{k}e{power}") for power in (8, 9, 10, 11) for k in (1, 2, 5))

_Stops = tuple[str, Sequence[Any], Callable[[Any], str]]
_STOPS: dict[str, _Stops] = {
    "world_size": (words.RANKS, WORLD_SIZES, str),
    "ranks_per_node": (words.NODE_SIZE, NODE_SIZES, str),
    "alpha_inside": (words.ALPHA_INSIDE, ALPHAS, _microseconds),
    "bandwidth_inside": (words.BANDWIDTH_INSIDE, BANDWIDTHS, _gigabytes),
    "alpha_between": (words.ALPHA_BETWEEN, ALPHAS, _microseconds),
    "bandwidth_between": (words.BANDWIDTH_BETWEEN, BANDWIDTHS, _gigabytes),
    "nbytes": (words.BYTES, SIZES, bytes_text),
}


def _slider(name: str, start: Any) -> widgets.SelectionSlider:
    """A slider over the stops; the start need not be one of them, it joins them in order."""
    label, stops, shown = _STOPS[name]
    return widgets.SelectionSlider(
        options=[(shown(value), value) for value in sorted({*stops, start})],
        value=start,
        description=label,
        continuous_update=True,
        style={"description_width": "130px"},
        layout=widgets.Layout(width="98%"),
    )


def explore_cost(setting: Setting | None = None, **values: Any) -> CostExplorer:
    """The explorer, started from ``values``: world_size, ranks_per_node, nbytes, and so on.

    Alphas are seconds, bandwidths bytes a second. Raises TypeError for a name that isn't one.
    """
    return CostExplorer(setting or Setting(**values))
