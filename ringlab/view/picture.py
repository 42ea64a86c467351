"""From a state at a step to a picture: one pure function that every view calls.

On the left the ranks and what travels now, on the right who is in which chunk on each rank, below
one sentence, the bytes against the least possible, and for a recorded run the learner's code.
The SVG has no ids, so that any number of pictures can stand in one page.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Any

from ringlab.schedule import Playback, is_complete
from ringlab.view.captions import (
    caption,
    description,
    notes,
    notes_ahead,
    playback_of,
    subtitle,
    title,
)
from ringlab.view.code_panel import code_height, code_panel
from ringlab.view.layout import MARGIN, MOST_SLOTS, WIDTH, Layout, layout
from ringlab.view.ring_panel import ring_panel
from ringlab.view.style import (
    COMPLETE,
    FONT,
    INK,
    LINE,
    MUTED,
    PAPER,
    bytes_text,
    fit,
    in_unit,
    rank_colour,
    text,
    width_of,
    wrap,
)
from ringlab.view.table_panel import table_panel
from ringlab.words import view as words

MOST_RANKS = 64
CAPTION_SIZE = 15
NOTE_SIZE = 13
NOTE_LINES = 5
NOW = "#8FA3B8"
"""The bytes of the step that is shown."""


def draw(what: Any, step: int) -> str:
    """The picture of a schedule, playback or trace at ``step``, as an SVG element.

    It shows the state before the step and the messages of the step. ``step`` may be one more than
    the last: then it shows how it ends. Raises ValueError for any other step, or too many ranks.
    """
    return Film(playback_of(what)).draw(step)


class Film:
    """All pictures of one playback; what they have in common is worked out once."""

    def __init__(self, playback: Playback) -> None:
        schedule = playback.schedule
        if schedule.world_size > MOST_RANKS:
            raise ValueError(
                words.TOO_MANY_RANKS.format(world_size=schedule.world_size, most=MOST_RANKS)
            )
        self.playback = playback
        self.title = title(playback)
        self.last = len(schedule.steps)
        self.notes = notes(playback)
        self.note_lines = max((len(_note_lines(s)) for s in self.notes.values()), default=0)
        uneven = len(set(schedule.chunk_sizes)) > 1
        self.place = layout(schedule.world_size, schedule.chunk_count, uneven)
        self.marks = _marks(playback, bool(self.notes))
        self.code_height = code_height(playback)

    def draw(self, step: int) -> str:
        """The picture at one step, see ``draw``."""
        if not 0 <= step <= self.last:
            raise ValueError(words.NO_SUCH_STEP.format(step=step, last=self.last))
        playback, place = self.playback, self.place
        says = caption(playback, step)
        y = place.bottom + 14
        head = _heading(self.title, subtitle(playback, step))
        if place.is_large:
            below, y = _caption(says, y, WIDTH - 2 * MARGIN)
        else:
            below, under = _caption(says, 50, WIDTH - 2 * MARGIN - 170)
            below += text(MARGIN, under + 12, _order(place), 11.5, MUTED)
        below += _progress(playback, step, y)
        below += _legend(place, self.marks, y + 34)
        y += 52 + 18 * bool(playback.schedule.messages)
        if self.notes:
            here = self.notes.get(step)
            below += _notes(here, y) if here else _pointer(notes_ahead(self.notes, self.last), y)
            y += self.note_lines * 18 + 12
        if self.code_height:
            below += code_panel(playback, step, y)
            y += self.code_height
        parts = (
            _open(self.title, step, description(playback, step), y),
            head,
            ring_panel(playback, step, place),
            table_panel(playback, step, place),
            below,
            "</svg>",
        )
        return "".join(parts)


def _open(name: str, step: int, says: str, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="100%" style="max-width:1500px;height:auto;display:block" font-family="{FONT}" '
        f'data-step="{step}">'
        f"<title>{escape(name, quote=False)}</title><desc>{escape(says, quote=False)}</desc>"
        f'<rect width="{WIDTH}" height="{height:.0f}" rx="8" fill="{PAPER}"/>'
    )


def _heading(name: str, where: str) -> str:
    return (
        f'<text x="{MARGIN}" y="34" font-size="18" font-weight="650" fill="{INK}">'
        f'{escape(name, quote=False)}<tspan dx="14" font-size="15" font-weight="400" '
        f'fill="{MUTED}">{escape(where, quote=False)}</tspan></text>'
    )


def _caption(says: str, y: float, width: float) -> tuple[str, float]:
    """The sentence, and where what follows can begin: two lines are always kept free."""
    lines = wrap(says, CAPTION_SIZE, width)
    parts = [text(MARGIN, y + 14 + 21 * i, line, CAPTION_SIZE, INK) for i, line in enumerate(lines)]
    return "".join(parts), y + 21 * max(2, len(lines)) + 8


def _note_lines(sentences: list[str]) -> list[str]:
    lines: list[str] = []
    for index, sentence in enumerate(sentences):
        broken = wrap(sentence, NOTE_SIZE, WIDTH - 2 * MARGIN - 22)
        left = len(sentences) - index
        if len(lines) + len(broken) + (left > 1) > NOTE_LINES:
            return [*lines, words.MORE_NOTES.format(count=left)]
        lines += broken
    return lines


def _notes(sentences: list[str], y: float) -> str:
    lines = _note_lines(sentences)
    height = len(lines) * 18
    parts = [f'<rect x="{MARGIN}" y="{y:g}" width="4" height="{height}" fill="{INK}"/>']
    parts += [text(MARGIN + 14, y + 13 + 18 * i, line, NOTE_SIZE) for i, line in enumerate(lines)]
    return "".join(parts)


def _pointer(says: str, y: float) -> str:
    return text(MARGIN, y + 13, says, NOTE_SIZE, MUTED)


def _progress(playback: Playback, step: int, y: float) -> str:
    """What the busiest rank has sent, what it sends now, and the least that is possible."""
    schedule, item = playback.schedule, playback.element_bytes
    total = schedule.bytes_sent_before(len(schedule.steps), item)
    busiest = max(total)
    if not schedule.messages:
        return text(MARGIN, y + 12, words.NOTHING_TO_SEND, 13, MUTED)
    rank = total.index(busiest)
    sent = schedule.bytes_sent_before(step, item)[rank]
    now = schedule.bytes_in_step(step, item)[rank] if step < len(schedule.steps) else 0
    label = words.SENT_BY_BUSIEST.format(rank=rank)
    if min(total) == busiest:
        label = words.SENT_BY_EACH
    least = schedule.least_bytes(item)
    bar_x, bar_width = MARGIN + 212, 300
    scale = bar_width / max(busiest, least or 0, 1)
    amount, _ = in_unit(sent, busiest)
    values = {
        "messages": schedule.messages_before(step),
        "all_messages": schedule.messages,
        "sent": amount,
        "all_sent": bytes_text(busiest),
    }
    variants = (words.SENT,) if least is None else words.SENT_LEAST
    values["least"] = bytes_text(least or 0)
    room = WIDTH - MARGIN - bar_x - bar_width - 14
    says = fit(tuple(variant.format(**values) for variant in variants), 12.5, room)
    parts = [
        text(MARGIN, y + 12, label, 12.5, MUTED),
        _bar(bar_x, y + 2, bar_width, COMPLETE),
        _bar(bar_x, y + 2, (sent + now) * scale, NOW),
        _bar(bar_x, y + 2, sent * scale, INK),
    ]
    if least is not None:
        x = bar_x + least * scale
        parts.append(f'<path d="M{x:.1f} {y - 2:.1f}v19" stroke="{INK}" stroke-width="2"/>')
    parts.append(text(bar_x + bar_width + 14, y + 12, says, 12.5, MUTED))
    return "".join(parts)


def _bar(x: float, y: float, width: float, fill: str) -> str:
    if width <= 0:
        return ""
    return f'<rect x="{x:g}" y="{y:.1f}" width="{width:.1f}" height="11" rx="3" fill="{fill}"/>'


def _marks(playback: Playback, has_faults: bool) -> frozenset[str]:
    """The marks that occur in any picture of this playback: what the legend has to explain."""
    schedule = playback.schedule
    marks = {"out"} if schedule.world_size > 1 else set()
    if schedule.messages:
        marks |= {"sends", "bytes"}
        marks |= {"adds" if transfer.reduce else "overwrites" for transfer in schedule.transfers}
        marks |= {"least"} if schedule.least_bytes() is not None else set()
    if _is_anything_complete(playback):
        marks.add("complete")
    if has_faults:
        contents = {c for state in playback.states for row in state for c in row}
        if any(max(c.counts) > 1 and not c.unexplained for c in contents):
            marks.add("twice")
        if any(c.unexplained for c in contents):
            marks.add("unknown")
    return frozenset(marks)


def _is_anything_complete(playback: Playback) -> bool:
    # From the end: there it nearly always is, and one look is enough.
    return any(
        wanted is not None and is_complete(content, wanted)
        for state in reversed(playback.states)
        for held, wants in zip(state, playback.goal, strict=True)
        for content, wanted in zip(held, wants, strict=True)
    )


class _Row:
    """A line of the legend, which grows to the right."""

    def __init__(self, y: float) -> None:
        self.x, self.y = float(MARGIN), y
        self.parts: list[str] = []

    def add(self, drawing: str, says: str) -> None:
        self.parts.append(f'<g transform="translate({self.x:.1f} {self.y - 10:.1f})">{drawing}</g>')
        self.parts.append(text(self.x + 24, self.y + 1, says, 11.5, MUTED))
        self.x += 24 + width_of(says, 11.5) + 16


@lru_cache(maxsize=64)
def _legend(place: Layout, marks: frozenset[str], y: float) -> str:
    """What the marks of the chunks mean in one line, what the bar of bytes means in another."""
    return _legend_of_chunks(place, marks, y) + _legend_of_bytes(marks, y + 18)


def _legend_of_chunks(place: Layout, marks: frozenset[str], y: float) -> str:
    row = _Row(y)
    fill = rank_colour(0, place.world_size)
    box = '<rect x="3" width="12" height="12" fill="{0}" stroke="{1}"/>'
    wide = '<rect x="1" width="17" height="12" rx="2" {0}/>'
    dashed = wide.format(f'fill="none" stroke="{INK}" stroke-width="1.6" stroke-dasharray="4 3"')
    row.add(box.format(fill, fill), words.LEGEND_IN)
    if "out" in marks:
        row.add(box.format(PAPER, LINE), words.LEGEND_OUT)
    if "sends" in marks:
        thick = f'fill="none" stroke="{INK}" stroke-width="2.2"'
        row.add(wide.format(thick), words.LEGEND_SENDS)
    if "adds" in marks:
        row.add(dashed, words.LEGEND_ADDS)
    if "overwrites" in marks:
        row.add(dashed, words.LEGEND_OVERWRITES)
    if "complete" in marks:
        row.add(wide.format(f'fill="{COMPLETE}" stroke="{LINE}"'), words.LEGEND_COMPLETE)
    if "twice" in marks:
        twice = text(9.5, 9, words.TIMES.format(count=2), 9.5, INK, "middle", 800)
        marked = f'<rect x="1" y="-2" width="17" height="15" fill="{PAPER}" stroke="{INK}"/>'
        row.add(marked + twice, words.LEGEND_TIMES)
    if "unknown" in marks:
        row.add(text(9.5, 11, words.UNKNOWN, 15, INK, "middle", 800), words.LEGEND_UNKNOWN)
    return "".join(row.parts)


def _legend_of_bytes(marks: frozenset[str], y: float) -> str:
    row = _Row(y)
    if "bytes" in marks:
        row.add(_bar(1, 0.5, 17, INK), words.LEGEND_BEFORE)
        row.add(_bar(1, 0.5, 17, NOW), words.LEGEND_NOW)
    if "least" in marks:
        row.add(f'<path d="M9.5 -3v19" stroke="{INK}" stroke-width="2"/>', words.LEGEND_LEAST)
    return "".join(row.parts)


def _order(place: Layout) -> str:
    """Which box is which rank's, where the boxes have no numbers."""
    if place.world_size > MOST_SLOTS:
        return ""
    rows = [
        words.LEGEND_ORDER_ROW.format(
            first=first, last=min(first + place.per_row, place.world_size) - 1
        )
        for first in range(0, place.world_size, place.per_row)
    ]
    order = words.LEGEND_ORDER.format(order=words.LEGEND_THEN.join(rows))
    return order if place.has_numbers else order + words.LEGEND_ROUND
