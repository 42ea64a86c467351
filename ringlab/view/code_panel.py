"""The learner's code under a recorded run, with the lines of the step lit."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from ringlab.schedule import Playback
from ringlab.view.layout import MARGIN, WIDTH
from ringlab.view.style import CELL, INK, LINE, LIT, MONO, MUTED, text, width_of
from ringlab.words import view as words

MOST_LINES = 24
LINE_HEIGHT = 17
SIZE = 12
MONO_WIDTH = 0.602 * SIZE
"""Width of a letter: the widest of the common monospace fonts."""


def code_height(playback: Playback) -> float:
    """Height of the panel, the same at each step; 0 without source."""
    if not playback.source:
        return 0
    return len(_shown(playback.source, _ever_lit(playback))) * LINE_HEIGHT + 44


def code_panel(playback: Playback, step: int, top: float) -> str:
    """The code from ``top`` on, or nothing where the playback has no source."""
    if not playback.source:
        return ""
    lit = _lit(playback, step)
    lines = playback.source.splitlines()
    shown = _shown(playback.source, _ever_lit(playback))
    height = len(shown) * LINE_HEIGHT + 14
    parts = [
        text(MARGIN, top + 14, words.CODE_HEADING, 12.5, MUTED),
        f'<rect x="{MARGIN}" y="{top + 22:g}" width="{WIDTH - 2 * MARGIN}" height="{height:g}" '
        f'rx="6" fill="{CELL}" stroke="{LINE}"/>',
        f'<g font-family="{MONO}" font-size="{SIZE}" style="white-space:pre">',
    ]
    for index, number in enumerate(shown):
        y = top + 42 + index * LINE_HEIGHT
        parts.append(_code_line(number, lines, lit.get(number or 0, ""), y))
    parts.append("</g>")
    return "".join(parts)


def _code_line(number: int | None, lines: list[str], what: str, y: float) -> str:
    if number is None:
        return f'<text x="{MARGIN + 42}" y="{y:g}" fill="{MUTED}">{words.CODE_GAP}</text>'
    parts = []
    if what:
        parts.append(
            f'<rect x="{MARGIN + 1}" y="{y - 12.5:g}" width="{WIDTH - 2 * MARGIN - 2}" '
            f'height="{LINE_HEIGHT}" fill="{LIT}"/>'
        )
        label_x = WIDTH - MARGIN - 10
        parts.append(text(label_x, y, what, 11, INK, "end", 650))
    colour, weight = (INK, ' font-weight="700"') if what else (MUTED, "")
    parts.append(
        f'<text x="{MARGIN + 32}" y="{y:g}" fill="{colour}" text-anchor="end"{weight}>'
        f"{number}</text>"
    )
    room = WIDTH - 2 * MARGIN - 56 - (width_of(what, 11) + 20 if what else 0)
    code = lines[number - 1].expandtabs(4)
    most = int(room / MONO_WIDTH)
    if len(code) > most:
        code = code[: most - 1] + "…"
    kept = escape(code, quote=False).replace(" ", "\u00a0")
    parts.append(f'<text x="{MARGIN + 42}" y="{y:g}" fill="{INK}">{kept}</text>')
    return "".join(parts)


def _lit(playback: Playback, step: int) -> dict[int, str]:
    """Line numbers of the step's sends and receives, with what they do."""
    steps = playback.schedule.steps
    if step >= len(steps):
        return {}
    sends = {t.send_line for t in steps[step].transfers if t.send_line}
    receives = {t.recv_line for t in steps[step].transfers if t.recv_line}
    lit = dict.fromkeys(sends, words.CODE_SEND)
    lit.update(dict.fromkeys(receives, words.CODE_RECEIVE))
    lit.update(dict.fromkeys(sends & receives, words.CODE_BOTH))
    return lit


def _ever_lit(playback: Playback) -> frozenset[int]:
    return frozenset(
        line for step in range(len(playback.schedule.steps)) for line in _lit(playback, step)
    )


@lru_cache(maxsize=64)
def _shown(source: str, ever_lit: frozenset[int]) -> tuple[int | None, ...]:
    """The line numbers to show; None stands for what is left out between them.

    Long code is cut to the surroundings of the lines that are lit at any step, and the head of
    the function they are in.
    """
    lines = source.splitlines()
    count = len(lines)
    if count <= MOST_LINES:
        return tuple(range(1, count + 1))
    for around in (4, 3, 2, 1, 0):
        near = {n for lit in ever_lit for n in range(lit - around, lit + around + 1)}
        kept = sorted(n for n in near | _head(lines, ever_lit) if 1 <= n <= count)
        if len(kept) <= MOST_LINES:
            break
    if not ever_lit:
        kept = list(range(1, MOST_LINES + 1))
    kept = kept[:MOST_LINES]
    shown: list[int | None] = []
    for number in kept:
        if number > 1 and (not shown or shown[-1] != number - 1):
            shown.append(None)
        shown.append(number)
    return (*shown, None) if kept[-1] < count else tuple(shown)


def _head(lines: list[str], ever_lit: frozenset[int]) -> set[int]:
    """The line that begins the function with the first lit line, if there is one."""
    above = range(min(ever_lit, default=0), 0, -1)
    return set(next(([n] for n in above if lines[n - 1].lstrip().startswith("def ")), []))
