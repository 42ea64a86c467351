"""Colours and text shared by all pictures. A rank has one colour everywhere."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

# Okabe and Ito 2008, "Color Universal Design": told apart by colour-blind readers too.
RANK_COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#000000",
)
MANY_RANKS_COLOUR = "#3E5C76"
INK = "#1F2933"
MUTED = "#52606D"
LINE = "#C3CAD2"
PAPER = "#FFFFFF"
CELL = "#FBFCFD"
COMPLETE = "#E3E9F0"
EMPTY = "#DDE3EA"
LIT = "#FFF0B3"
WRONG = "#FFF4F0"
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif"
MONO = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
MOST_COLOURS = len(RANK_COLOURS)


def rank_colour(rank: int, world_size: int) -> str:
    """Up to 8 ranks have a colour each; more can't be told apart by colour and share one."""
    if world_size <= MOST_COLOURS:
        return RANK_COLOURS[rank % MOST_COLOURS]
    return MANY_RANKS_COLOUR


@lru_cache(maxsize=64)
def text_colour(background: str) -> str:
    """Black or white, whichever stands out more on a colour (WCAG 2 contrast)."""
    channels = (int(background[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#FFFFFF" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


@lru_cache(maxsize=4096)
def width_of(text: str, size: float) -> float:
    """About how wide a text is, by the widest of the common fonts: a picture can't measure."""
    units = 0.0
    for letter in text:
        if letter in "il.,:;'|!·":
            units += 0.32
        elif letter in "mwMW→":
            units += 0.88
        elif letter in " frtj()-":
            units += 0.38
        else:
            units += 0.61
    return units * size


def fit(variants: tuple[str, ...], size: float, width: float) -> str:
    """The first, longest variant that fits; the last one if none does."""
    for variant in variants:
        if width_of(variant, size) <= width:
            return variant
    return variants[-1]


def wrap(text: str, size: float, width: float) -> list[str]:
    """Break a text into lines of at most ``width``."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def text(
    x: float,
    y: float,
    content: str,
    size: float = 13,
    colour: str = INK,
    anchor: str = "",
    weight: int = 0,
    extra: str = "",
) -> str:
    """One SVG text element; the content is escaped."""
    more = f' text-anchor="{anchor}"' if anchor else ""
    more += f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{x:.4g}" y="{y:.4g}" font-size="{size:.3g}" fill="{colour}"{more}{extra}>'
        f"{escape(content, quote=False)}</text>"
    )


def with_code(sentence: str, style: str = "") -> str:
    """HTML of a sentence: escaped, with `backticks` as code.

    On a ground of its own code needs its own ``style``: JupyterLab's follows the theme.
    """
    opening = f'<code style="{style}">' if style else "<code>"
    return re.sub(r"`([^`\n]+)`", rf"{opening}\1</code>", escape(sentence, quote=False))


def bytes_text(count: float) -> str:
    """A number of bytes with its unit, such as 24 MiB."""
    amount, unit = in_unit(count)
    return f"{amount} {unit}"


def in_unit(count: float, like: float | None = None) -> tuple[str, str]:
    """A number of bytes in the unit that suits it, or that suits ``like``."""
    scale, unit = 1, "B"
    for bigger in ("KiB", "MiB", "GiB", "TiB"):
        if (count if like is None else like) < 1024 * scale:
            break
        scale, unit = scale * 1024, bigger
    amount = f"{count / scale:.1f}"
    return amount.removesuffix(".0"), unit
