"""A picture as a list of shapes, so that what is on the screen and what is stored are the same.

``svg`` makes of it what a browser shows, ``png`` what stays where no kernel runs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from ringlab.view.style import FONT, INK, MONO, PAPER, text

SCALE = 1.5
DASH = (5, 4)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in pixels from the top left."""

    x: float
    y: float
    width: float
    height: float
    fill: str = PAPER
    stroke: str = ""
    thick: float = 1.0
    dashed: bool = False
    radius: float = 5.0


@dataclass(frozen=True, slots=True)
class Disc:
    x: float
    y: float
    radius: float
    fill: str


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, with a head at its end if it is an arrow."""

    x: float
    y: float
    to_x: float
    to_y: float
    stroke: str = INK
    thick: float = 1.6
    dashed: bool = False
    arrow: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """One line of text; ``y`` is its baseline, ``anchor`` start, middle or end."""

    x: float
    y: float
    content: str
    size: float = 13.0
    colour: str = INK
    anchor: str = "start"
    bold: bool = False
    mono: bool = False


Shape = Box | Disc | Line | Words


def svg(shapes: Sequence[Shape], width: float, height: float, title: str, description: str) -> str:
    """One SVG element without ids, titled and described for those who can't see it."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:g} {height:g}" '
        f'width="100%" style="max-width:{1.3 * width:g}px;height:auto;display:block" '
        f'font-family="{FONT}"><title>{escape(title, quote=False)}</title>'
        f"<desc>{escape(description, quote=False)}</desc>"
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{PAPER}"/>'
    )
    return head + "".join(map(_svg_of, shapes)) + "</svg>"


def _svg_of(shape: Shape) -> str:
    match shape:
        case Words():
            extra = f' font-family="{MONO}"' if shape.mono else ""
            anchor = "" if shape.anchor == "start" else shape.anchor
            weight = 650 if shape.bold else 0
            return text(
                shape.x, shape.y, shape.content, shape.size, shape.colour, anchor, weight, extra
            )
        case Disc():
            place = f'cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}"'
            return f'<circle {place} fill="{shape.fill}"/>'
        case Line():
            path = f"M{shape.x:g} {shape.y:g}L{shape.to_x:g} {shape.to_y:g}"
            line = f'<path d="{path}" fill="none" {_stroke(shape)}/>'
            return line + (_svg_head(shape) if shape.arrow else "")
        case Box():
            return (
                f'<rect x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" '
                f'height="{shape.height:g}" rx="{shape.radius:g}" fill="{shape.fill}" '
                f"{_stroke(shape)}/>"
            )


def _stroke(shape: Box | Line) -> str:
    if not shape.stroke:
        return 'stroke="none"'
    dashes = f' stroke-dasharray="{DASH[0]} {DASH[1]}"' if shape.dashed else ""
    return f'stroke="{shape.stroke}" stroke-width="{shape.thick:g}"{dashes}'


def _head_of(line: Line) -> tuple[tuple[float, float], ...]:
    """The corners of an arrow's head."""
    length = ((line.to_x - line.x) ** 2 + (line.to_y - line.y) ** 2) ** 0.5 or 1.0
    ux, uy = (line.to_x - line.x) / length, (line.to_y - line.y) / length
    back = (line.to_x - 2 * ux, line.to_y - 2 * uy)
    return (
        (line.to_x + 8 * ux, line.to_y + 8 * uy),
        (back[0] - 6 * uy, back[1] + 6 * ux),
        (back[0] + 6 * uy, back[1] - 6 * ux),
    )


def _svg_head(line: Line) -> str:
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in _head_of(line))
    return f'<polygon points="{corners}" fill="{line.stroke}"/>'


def png(shapes: Sequence[Shape], width: float, height: float) -> bytes:
    """The same picture as PNG, of few colours so that a stored notebook stays small."""
    from PIL import Image, ImageDraw

    size = (round(width * SCALE * 2), round(height * SCALE * 2))
    image = Image.new("RGB", size, PAPER)
    pen = ImageDraw.Draw(image)
    for shape in shapes:
        _paint(pen, shape, SCALE * 2)
    target = io.BytesIO()
    few = image.reduce(2).quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(target, format="PNG", compress_level=6)
    return target.getvalue()


def _paint(pen: Any, shape: Shape, scale: float) -> None:
    match shape:
        case Words():
            where = (shape.x * scale, shape.y * scale)
            anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
            font = _font(shape.mono, shape.bold, shape.size * scale)
            pen.text(where, shape.content, fill=shape.colour, font=font, anchor=anchor)
        case Disc():
            box = _scaled(
                (shape.x - shape.radius, shape.y - shape.radius),
                (shape.x + shape.radius, shape.y + shape.radius),
                scale=scale,
            )
            pen.ellipse(box, fill=shape.fill)
        case Line():
            _paint_line(pen, shape, scale)
            if shape.arrow:
                pen.polygon(_scaled(*_head_of(shape), scale=scale), fill=shape.stroke)
        case Box():
            corners = ((shape.x, shape.y), (shape.x + shape.width, shape.y + shape.height))
            solid = shape.stroke if shape.stroke and not shape.dashed else None
            pen.rounded_rectangle(
                _scaled(*corners, scale=scale),
                radius=shape.radius * scale,
                fill=shape.fill,
                outline=solid,
                width=round(shape.thick * scale),
            )
            if shape.dashed and shape.stroke:
                for side in _sides(shape):
                    _paint_line(pen, side, scale)


def _scaled(*points: tuple[float, float], scale: float) -> list[tuple[float, float]]:
    return [(x * scale, y * scale) for x, y in points]


def _sides(box: Box) -> Iterator[Line]:
    right, bottom, r = box.x + box.width, box.y + box.height, min(box.radius, 3)
    style: dict[str, Any] = {"stroke": box.stroke, "thick": box.thick, "dashed": True}
    yield Line(box.x + r, box.y, right - r, box.y, **style)
    yield Line(right, box.y + r, right, bottom - r, **style)
    yield Line(right - r, bottom, box.x + r, bottom, **style)
    yield Line(box.x, bottom - r, box.x, box.y + r, **style)


def _paint_line(pen: Any, line: Line, scale: float) -> None:
    length = ((line.to_x - line.x) ** 2 + (line.to_y - line.y) ** 2) ** 0.5
    if not length:
        return
    ux, uy = (line.to_x - line.x) / length, (line.to_y - line.y) / length
    ink, gap = DASH if line.dashed else (length, 0)
    at = 0.0
    while at < length:
        end = min(at + ink, length)
        points = (line.x + at * ux, line.y + at * uy), (line.x + end * ux, line.y + end * uy)
        pen.line(_scaled(*points, scale=scale), fill=line.stroke, width=round(line.thick * scale))
        at += ink + gap


@lru_cache(maxsize=64)
def _font(is_mono: bool, is_bold: bool, pixels: float) -> Any:
    """The font that comes with matplotlib: it is there wherever the pictures are made."""
    import matplotlib
    from PIL import ImageFont

    name = "DejaVuSansMono" if is_mono else "DejaVuSans"
    name += "-Bold" if is_bold else ""
    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf"
    # DejaVu is wider than the fonts of most browsers, for which the room was reckoned.
    return ImageFont.truetype(str(path), pixels * 0.94)
