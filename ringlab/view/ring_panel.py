"""The left side of a picture: the ranks in a circle, and what travels between them now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, cos, hypot, pi, sin

from ringlab.schedule import Content, Playback, Transfer
from ringlab.view.layout import Layout
from ringlab.view.style import INK, LINE, MUTED, PAPER, rank_colour, text, text_colour
from ringlab.words import view as words

Point = tuple[float, float]
Box = tuple[float, float, float, float]

MINI = 11
MINI_GAP = 2
LABEL_SIZE = 11.5


@dataclass(frozen=True)
class Arrow:
    """An arrow's path, its head, and the middle of its message box if there is room for one."""

    path: str
    head: str
    box: Point | None


def ring_panel(playback: Playback, step: int, place: Layout) -> str:
    """Ranks, arrows and messages of one step. Bare ranks after the last."""
    steps = playback.schedule.steps
    transfers = steps[step].transfers if step < len(steps) else ()
    world = range(place.world_size)
    there = [(i, t) for i, t in enumerate(transfers) if t.src in world and t.dst in world]
    arrows = arrows_of(place, tuple((t.src, t.dst) for _, t in there))
    parts = [_circle(place)]
    for arrow in arrows:
        parts.append(f'<path d="{arrow.path}" fill="none" stroke="{INK}" stroke-width="2"/>')
        parts.append(f'<path d="{arrow.head}" fill="{INK}"/>')
    parts.append(_nodes(place))
    if place.is_large:
        boxed = [(arrow.box, index, t) for arrow, (index, t) in zip(arrows, there, strict=True)]
        for box, index, transfer in boxed:
            if box is not None:
                parts.append(_message(box, transfer, playback.carried[step][index], place))
        note = words.IN_THE_TABLE if any(box is None for box, _, _ in boxed) else ""
        if place.world_size == 1:
            note = words.ONLY_RANK
        elif not note and there and all((t.src + 1) % len(world) == t.dst for _, t in there):
            note = words.RING_HINT if len(there) == len(world) else ""
        y = place.ring_y + (44 if place.world_size == 1 else 4)
        if note == words.IN_THE_TABLE:
            y = place.bottom - 4
        parts.append(text(place.ring_x, y, note, 12.5, MUTED, "middle") if note else "")
    return "".join(parts)


def _angle(rank: float, world_size: int) -> float:
    return 2 * pi * rank / world_size - pi / 2


def _at(place: Layout, rank: float, radius: float) -> Point:
    angle = _angle(rank, place.world_size)
    return place.ring_x + radius * cos(angle), place.ring_y + radius * sin(angle)


@lru_cache(maxsize=64)
def _circle(place: Layout) -> str:
    if place.world_size == 1:
        return ""
    x, y, radius = place.ring_x, place.ring_y, place.ring_radius
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="none" stroke="#E8ECF1"/>'


@lru_cache(maxsize=64)
def _nodes(place: Layout) -> str:
    parts = []
    size = 17 if place.node_radius > 15 else 8.5
    for rank in range(place.world_size):
        x, y = _home(place, rank)
        fill = rank_colour(rank, place.world_size)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{place.node_radius:g}" fill="{fill}"/>')
        if place.world_size <= 24:
            number = text(x, y + size * 0.36, str(rank), size, text_colour(fill), "middle", 700)
            parts.append(number)
    return "".join(parts)


def _home(place: Layout, rank: int) -> Point:
    return _at(place, rank, place.ring_radius if place.world_size > 1 else 0)


def _box_size(place: Layout) -> tuple[float, float]:
    rows = 1 if place.world_size <= 4 else 2
    width = _minis_per_row(place) * (MINI + MINI_GAP) + 10
    return max(width, 58), rows * (MINI + MINI_GAP + 1) + 22


def _minis_per_row(place: Layout) -> int:
    return place.world_size if place.world_size <= 4 else -(-place.world_size // 2)


@lru_cache(maxsize=512)
def arrows_of(place: Layout, pairs: tuple[tuple[int, int], ...]) -> tuple[Arrow, ...]:
    """Arrows between pairs of ranks, with message boxes that cover neither each other nor a rank.

    Neighbours' messages lie on the ring, others go across. An arrow whose box finds no room has
    none.
    """
    width, height = _box_size(place)
    taken: list[Box] = []
    r = place.node_radius + 1
    for rank in range(place.world_size):
        x, y = _home(place, rank)
        taken.append((x - r, y - r, x + r, y + r))
    arrows = []
    for src, dst in pairs:
        on_ring = (src + 1) % place.world_size == dst
        path, head, spots = _on_ring(place, src) if on_ring else _across(place, src, dst)
        box = next((s for s in spots if _is_free(s, width, height, taken)), None)
        if box is not None:
            x, y = box
            taken.append((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
        arrows.append(Arrow(path, head, box))
    return tuple(arrows)


def _is_free(spot: Point, width: float, height: float, taken: Sequence[Box]) -> bool:
    left, top = spot[0] - width / 2, spot[1] - height / 2
    right, bottom = left + width, top + height
    return all(right < x0 or left > x1 or bottom < y0 or top > y1 for x0, y0, x1, y1 in taken)


def _on_ring(place: Layout, src: int) -> tuple[str, str, list[Point]]:
    radius, n = place.ring_radius, place.world_size
    away = (place.node_radius + (6 if place.is_large else 2)) / radius * n / (2 * pi)
    start, end = src + away, src + 1 - away
    head_length = 11 if place.is_large else 6
    before_tip = end - head_length / radius * n / (2 * pi)
    (x0, y0), (x1, y1) = _at(place, start, radius), _at(place, before_tip, radius)
    path = f"M{x0:.1f} {y0:.1f}A{radius:g} {radius:g} 0 0 1 {x1:.1f} {y1:.1f}"
    head = _head((x1, y1), _at(place, end, radius), head_length)
    width, height = _box_size(place)
    outwards = 0.0
    if n > 4:
        angle = _angle(src + 0.5, n)
        outwards = 8 + abs(cos(angle)) * width / 2 + abs(sin(angle)) * height / 2
    spots = [_at(place, src + 0.5, radius + more) for more in (outwards, outwards + 10)]
    return path, head, [*spots, _at(place, src + 0.5, radius - outwards - 16)]


def _across(place: Layout, src: int, dst: int) -> tuple[str, str, list[Point]]:
    """A path through the ring, bent a little so that both directions of a pair can be seen."""
    (ax, ay), (bx, by) = _home(place, src), _home(place, dst)
    length = hypot(bx - ax, by - ay) or 1.0
    bend = 0.16 if (dst - src) % place.world_size in (1, place.world_size - 1) else 0.08
    cx = (ax + bx) / 2 - (by - ay) * bend
    cy = (ay + by) / 2 + (bx - ax) * bend
    if place.world_size == 2 or (src - 1) % place.world_size == dst:
        cx, cy = (ax + bx) / 2, (ay + by) / 2

    def on_curve(t: float) -> Point:
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
        return a * ax + b * cx + c * bx, a * ay + b * cy + c * by

    edge = (place.node_radius + (5 if place.is_large else 1)) / length
    head_length = 11 if place.is_large else 6
    (x0, y0), tip = on_curve(edge), on_curve(1 - edge)
    x1, y1 = on_curve(1 - edge - head_length / length)
    t0, t1 = edge, 1 - edge - head_length / length
    middle = on_curve((t0 + t1) / 2)
    # The control point of the piece between t0 and t1 that runs through the same middle.
    kx, ky = 2 * middle[0] - (x0 + x1) / 2, 2 * middle[1] - (y0 + y1) / 2
    path = f"M{x0:.1f} {y0:.1f}Q{kx:.1f} {ky:.1f} {x1:.1f} {y1:.1f}"
    spots = [on_curve(t) for t in (0.5, 0.56, 0.44, 0.62, 0.38, 0.68, 0.32, 0.74, 0.26)]
    inwards = [(0.65, middle), (0.45, middle), (0.6, on_curve(0.35)), (0.6, on_curve(0.65))]
    rx, ry = place.ring_x, place.ring_y
    spots += [(rx + (x - rx) * part, ry + (y - ry) * part) for part, (x, y) in inwards]
    if (src - 1) % place.world_size == dst and place.world_size > 2:
        width, height = _box_size(place)
        angle = _angle(dst + 0.5, place.world_size)
        outwards = 8 + abs(cos(angle)) * width / 2 + abs(sin(angle)) * height / 2
        outside = _at(place, dst + 0.5, place.ring_radius + outwards)
        spots = [outside, *spots] if place.world_size > 4 else [*spots, outside]
    return path, _head((x1, y1), tip, head_length), spots


def _head(base: Point, tip: Point, length: float) -> str:
    angle = atan2(tip[1] - base[1], tip[0] - base[0])
    half = length * 0.46
    dx, dy = -sin(angle) * half, cos(angle) * half
    return (
        f"M{tip[0]:.1f} {tip[1]:.1f}L{base[0] + dx:.1f} {base[1] + dy:.1f}"
        f"L{base[0] - dx:.1f} {base[1] - dy:.1f}z"
    )


def _message(
    middle: Point, transfer: Transfer, contents: tuple[Content, ...], place: Layout
) -> str:
    width, height = _box_size(place)
    x, y = middle[0] - width / 2, middle[1] - height / 2
    label = words.CHUNK.format(chunk=transfer.chunks[0])
    if len(transfer.chunks) > 1:
        label = words.SEVERAL_CHUNKS.format(count=len(transfer.chunks))
    return (
        f'<g transform="translate({x:.1f} {y:.1f})">'
        f'<rect width="{width:g}" height="{height:g}" rx="5" fill="{PAPER}" stroke="{INK}" '
        f'stroke-width="1.3"/>'
        + text(width / 2, 14, label, LABEL_SIZE, INK, "middle", 650)
        + _minis(contents, place, width)
        + "</g>"
    )


def _minis(contents: tuple[Content, ...], place: Layout, width: float) -> str:
    """The contributors of a message, small. Those in some of its chunks only are half as high."""
    if any(content.unexplained for content in contents):
        return text(width / 2, 33, words.UNKNOWN, 15, INK, "middle", 700)
    parts = []
    per_row = _minis_per_row(place)
    left = (width - per_row * (MINI + MINI_GAP) + MINI_GAP) / 2
    for rank in range(place.world_size):
        row, column = divmod(rank, per_row)
        x, y = left + column * (MINI + MINI_GAP), 19 + row * (MINI + MINI_GAP + 1)
        fill = rank_colour(rank, place.world_size)
        counts = [content.counts[rank] for content in contents]
        outline = fill if any(counts) else LINE
        parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{MINI}" height="{MINI}" rx="2" '
            f'fill="{fill if all(counts) else PAPER}" stroke="{outline}"/>'
        )
        if any(counts) and not all(counts):
            parts.append(
                f'<rect x="{x:g}" y="{y + MINI / 2:g}" width="{MINI}" height="{MINI / 2}" '
                f'fill="{fill}"/>'
            )
        most = max(counts, default=0)
        if most > 1:
            colour = text_colour(fill)
            parts.append(text(x + MINI / 2, y + 8.6, f"{most}×", 8.5, colour, "middle", 700))
    return "".join(parts)
