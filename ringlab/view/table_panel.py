"""The right side of a picture: who is in which chunk, on each rank, and what happens to it now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from ringlab.schedule import Content, Playback, State, is_complete
from ringlab.view.captions import plural
from ringlab.view.layout import MOST_SLOTS, Layout
from ringlab.view.style import (
    CELL,
    COMPLETE,
    EMPTY,
    INK,
    LINE,
    MUTED,
    PAPER,
    WRONG,
    fit,
    rank_colour,
    text,
    text_colour,
    width_of,
)
from ringlab.words import view as words

SMALL = 10.5


def table_panel(playback: Playback, step: int, place: Layout) -> str:
    """Heads, ranks and cells as they are before ``step``, marked with what the step does.

    What is alike in many cells is one SVG element each: a browser draws a step of 8 ranks with 2000
    elements in twice the time that a click may take.
    """
    parts = [_heads(place, playback.schedule.chunk_sizes), _ranks(place)]
    sends, receives = _actions(playback, step)
    at_end = step >= len(playback.schedule.steps)
    labels = []
    for rank, row in enumerate(playback.states[step]):
        wants = playback.goal[rank]
        for chunk, content in enumerate(row):
            key = (rank, chunk)
            doing = (key in sends, receives.get(key, ""))
            frame, label = _cell(content, wants[chunk], *doing, at_end, place)
            move = f'<g transform="translate({_corner(rank, chunk, place)})">'
            parts.append(f"{move}{frame}</g>")
            if label:
                labels.append(f"{move}{label}</g>")
    parts.append(_contents(playback.states[step], place))
    return "".join([*parts, *labels])


@lru_cache(maxsize=32768)
def _corner(rank: int, chunk: int, place: Layout) -> str:
    x, y = place.table_x + chunk * place.pitch_x, place.table_y + rank * place.pitch_y
    return f"{x:.1f} {y:.1f}"


def _actions(
    playback: Playback, step: int
) -> tuple[set[tuple[int, int]], dict[tuple[int, int], str]]:
    sends: set[tuple[int, int]] = set()
    receives: dict[tuple[int, int], str] = {}
    if step < len(playback.schedule.steps):
        for transfer in playback.schedule.steps[step].transfers:
            sends.update((transfer.src, chunk) for chunk in transfer.chunks)
            action = "adds" if transfer.reduce else "overwrites"
            receives.update(((transfer.dst, chunk), action) for chunk in transfer.places)
    return sends, receives


@lru_cache(maxsize=64)
def _heads(place: Layout, chunk_sizes: tuple[int, ...]) -> str:
    uneven = len(set(chunk_sizes)) > 1
    heading_y = place.table_y - (44 if uneven else 28)
    heading = text(place.table_x, heading_y, words.TABLE_HEADING, 12.5, MUTED)
    parts = [heading] if place.is_large else []
    named = width_of(words.CHUNK.format(chunk=len(chunk_sizes)), 12.5) < place.pitch_x
    if not named:
        y = place.table_y - (24 if uneven else 9)
        parts.append(text(place.table_x - 7, y, words.CHUNK_COLUMNS, 11, MUTED, "end"))
    for chunk, size in enumerate(chunk_sizes):
        x = place.table_x + chunk * place.pitch_x + place.cell_width / 2
        label = words.CHUNK.format(chunk=chunk) if named else str(chunk)
        if place.pitch_x < 12 and chunk % 8:
            continue
        y = place.table_y - (24 if uneven else 9)
        parts.append(text(x, y, label, 12.5, INK, "middle", 650))
        if uneven:
            short = words.CHUNK_ELEMENTS_SHORT.format(count=size)
            elements = fit(
                (plural(words.CHUNK_ELEMENTS, size), short, str(size)), 10.5, place.pitch_x
            )
            parts.append(text(x, place.table_y - 8, elements, 10.5, MUTED, "middle"))
    return "".join(parts)


@lru_cache(maxsize=64)
def _ranks(place: Layout) -> str:
    parts = []
    x = place.table_x - 20
    radius = 13 if place.is_large else 10
    size = 13 if place.is_large else 10.5
    for rank in range(place.world_size):
        y = place.table_y + rank * place.pitch_y + place.cell_height / 2
        fill = rank_colour(rank, place.world_size)
        parts.append(f'<circle cx="{x:g}" cy="{y:.1f}" r="{radius}" fill="{fill}"/>')
        number = text(x, y + size * 0.36, str(rank), size, text_colour(fill), "middle", 700)
        parts.append(number)
    return "".join(parts)


@lru_cache(maxsize=16384)
def _cell(
    content: Content,
    wanted: tuple[int, ...] | None,
    sends: bool,
    receives: str,
    at_end: bool,
    place: Layout,
) -> tuple[str, str]:
    """Frame and label of one chunk on one rank, at the origin. They come back step after step."""
    complete = wanted is not None and is_complete(content, wanted)
    wrong = at_end and wanted is not None and not complete
    fill = COMPLETE if complete else WRONG if wrong else CELL
    width, height = place.cell_width, place.cell_height
    thick = 2.2 if sends else 1.6 if receives or wrong else 1
    stroke = INK if sends or receives or wrong else LINE
    dashes = ' stroke-dasharray="4 3"' if receives and not sends else ""
    frame = (
        f'<rect width="{width:.1f}" height="{height:.1f}" rx="{min(6, width / 6):.2g}" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="{thick}"{dashes}/>'
    )
    if receives and sends:
        frame += (
            f'<rect x="3" y="3" width="{width - 6:.1f}" height="{height - 6:.1f}" rx="4" '
            f'fill="none" stroke="{INK}" stroke-dasharray="4 3"/>'
        )
    return frame, _label(content, wanted, complete, wrong, sends, receives, place)


def _contents(state: State, place: Layout) -> str:
    """Whose parts are in which chunk."""
    if place.world_size > MOST_SLOTS:
        return _shares(state, place)
    parts = [_boxes(state, place) if place.is_large else _bands(state, place)]
    for rank, row in enumerate(state):
        for chunk, content in enumerate(row):
            if content.unexplained:
                parts.append(_unknown(rank, chunk, place))
            elif max(content.counts) > 1:
                slots = _slots(rank, chunk, place)
                for who, count in enumerate(content.counts):
                    if count > 1:
                        parts.append(_times(count, slots[who], place))
    return "".join(parts)


def _boxes(state: State, place: Layout) -> str:
    """Up to 8 ranks: for each rank one path and one text, over the whole table."""
    filled: list[list[str]] = [[] for _ in range(place.world_size)]
    numbered: list[list[tuple[str, str]]] = [[] for _ in range(place.world_size)]
    for rank, row in enumerate(state):
        for chunk, content in enumerate(row):
            if content.unexplained:
                continue
            slots = _slots(rank, chunk, place)
            for who, count in enumerate(content.counts):
                if count:
                    filled[who].append(slots[who].path)
                    numbered[who].append(slots[who].middle)
    parts = [_outlines(place)]
    for who, paths in enumerate(filled):
        if paths:
            fill = rank_colour(who, place.world_size)
            parts.append(f'<path d="{"".join(paths)}" fill="{fill}"/>')
            parts.append(_numbers(who, numbered[who], place))
    return "".join(parts)


@lru_cache(maxsize=64)
def _outlines(place: Layout) -> str:
    """All boxes of the table, empty."""
    paths = (
        slot.path
        for rank in range(place.world_size)
        for chunk in range(place.chunk_count)
        for slot in _slots(rank, chunk, place)
    )
    return f'<path d="{"".join(paths)}" fill="{PAPER}" stroke="{LINE}" stroke-width=".8"/>'


def _bands(state: State, place: Layout) -> str:
    """Above 8 ranks: dashed lines as thick as a box is high, empty ones under filled ones."""
    everyone = Content((1,) * place.world_size)
    dashes = f'stroke-dasharray="{place.slot_width:.3f} {place.slot_gap:g}"'
    style = f'fill="none" stroke-width="{place.slot_height:g}" {dashes}'
    filled = [
        _runs(content.counts, rank, chunk, place)
        for rank, row in enumerate(state)
        for chunk, content in enumerate(row)
        if not content.unexplained
    ]
    empty = _all_runs(everyone.counts, place)
    colour = rank_colour(0, place.world_size)
    return (
        f'<path d="{empty}" stroke="{EMPTY}" {style}/>'
        f'<path d="{"".join(filled)}" stroke="{colour}" {style}/>' + _band_numbers(state, place)
    )


@lru_cache(maxsize=64)
def _all_runs(counts: tuple[int, ...], place: Layout) -> str:
    cells = product(range(place.world_size), range(place.chunk_count))
    return "".join(_runs(counts, rank, chunk, place) for rank, chunk in cells)


@lru_cache(maxsize=32768)
def _runs(counts: tuple[int, ...], rank: int, chunk: int, place: Layout) -> str:
    """A line for each run of neighbouring boxes that are filled."""
    slots, pitch = _slots(rank, chunk, place), place.slot_width + place.slot_gap
    parts = []
    who = 0
    while who < len(counts):
        end = who
        while end < len(counts) and counts[end] and end // place.per_row == who // place.per_row:
            end += 1
        if end > who:
            slot = slots[who]
            length = (end - who) * pitch - place.slot_gap
            y = slot.y + place.slot_height / 2
            parts.append(f"M{slot.x:.1f} {y:.1f}h{length:.1f}")
        who = max(end, who + 1)
    return "".join(parts)


def _band_numbers(state: State, place: Layout) -> str:
    """The ranks' numbers, where few chunks leave room for them."""
    if not place.has_numbers:
        return ""
    return "".join(
        _numbers(who, [_slots(r, c, place)[who].middle], place)
        for r, row in enumerate(state)
        for c, content in enumerate(row)
        for who, count in enumerate(content.counts)
        if count == 1 and not content.unexplained
    )


@dataclass(frozen=True, slots=True)
class _Slot:
    """The little box of one rank's part: its outline, and where its number stands."""

    path: str
    middle: tuple[str, str]
    x: float
    y: float


@lru_cache(maxsize=16384)
def _slots(rank: int, chunk: int, place: Layout) -> tuple[_Slot, ...]:
    pitch_x = place.slot_width + place.slot_gap
    pitch_y = place.slot_height + place.slot_gap
    left = place.table_x + chunk * place.pitch_x
    left += (place.cell_width - place.per_row * pitch_x + place.slot_gap) / 2
    top = place.table_y + rank * place.pitch_y + 6
    size = _number_size(place)
    slots = []
    for who in range(place.world_size):
        row, column = divmod(who, place.per_row)
        x, y = left + column * pitch_x, top + row * pitch_y
        width, height = place.slot_width, place.slot_height
        path = f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"
        middle = f"{x + width / 2:.1f}", f"{y + height / 2 + size * 0.36:.1f}"
        slots.append(_Slot(path, middle, x, y))
    return tuple(slots)


def _number_size(place: Layout) -> float:
    return min(12.0, place.slot_width * 0.66)


def _numbers(who: int, places: list[tuple[str, str]], place: Layout) -> str:
    """A rank's number in all its boxes: one text, each of its letters with a place of its own."""
    if not place.has_numbers:
        return ""
    size, colour = _number_size(place), text_colour(rank_colour(who, place.world_size))
    head = f'font-size="{size:.3g}" font-weight="700" fill="{colour}" text-anchor="middle"'
    if who < 10:
        xs, ys = zip(*places, strict=True)
        return f'<text x="{" ".join(xs)}" y="{" ".join(ys)}" {head}>{str(who) * len(places)}</text>'
    texts = "".join(f'<text x="{x}" y="{y}">{who}</text>' for x, y in places)
    return f"<g {head}>{texts}</g>"


def _times(count: int, slot: _Slot, place: Layout) -> str:
    """How often a part is in, where that is more than once."""
    size = max(8.5, _number_size(place))
    baseline = slot.y + place.slot_height / 2 + size * 0.36
    times = words.TIMES.format(count=count)
    return (
        f'<rect x="{slot.x - 1.2:.1f}" y="{slot.y - 1.2:.1f}" width="{place.slot_width + 2.4:.1f}" '
        f'height="{place.slot_height + 2.4:.1f}" fill="{PAPER}" stroke="{INK}" stroke-width="1.6"/>'
        + text(slot.x + place.slot_width / 2, baseline, times, size, INK, "middle", 800)
    )


def _unknown(rank: int, chunk: int, place: Layout) -> str:
    height = place.slot_rows * (place.slot_height + place.slot_gap)
    size = max(10, min(20, height))
    x = place.table_x + chunk * place.pitch_x + place.cell_width / 2
    top = place.table_y + rank * place.pitch_y + 4
    y = top + 2 + height / 2 + size * 0.3
    return (
        f'<rect x="{x - place.cell_width / 2 + 3:.1f}" y="{top:.1f}" height="{height:.1f}" '
        f'width="{place.cell_width - 6:.1f}" fill="{PAPER}"/>'
    ) + text(x, y, words.UNKNOWN, size, INK, "middle", 800)


def _shares(state: State, place: Layout) -> str:
    """With too many ranks for boxes: how many ranks' parts are in."""
    width, height = max(place.cell_width - 6, 1), place.slot_height * 2 + 1
    bars = []
    for rank, row in enumerate(state):
        for chunk, content in enumerate(row):
            x = place.table_x + chunk * place.pitch_x + 3
            y = place.table_y + rank * place.pitch_y + 5
            share = width * len(content.ranks) / place.world_size
            bars.append(f"M{x:.1f} {y:.1f}h{share:.1f}v{height:.1f}h-{share:.1f}z")
    return f'<path d="{"".join(bars)}" fill="{rank_colour(0, place.world_size)}"/>'


def _label(
    content: Content,
    wanted: tuple[int, ...] | None,
    complete: bool,
    wrong: bool,
    sends: bool,
    receives: str,
    place: Layout,
) -> str:
    width, y = place.cell_width, place.cell_height - 6
    size = SMALL if place.is_large else 10
    if wrong and not (sends or receives):
        return text(width / 2, y, _what_is_wrong(content, wanted, place), size, INK, "middle", 650)
    action = _action(sends, receives, place)
    if place.is_large or width > 90:
        short = f"✓ {action[-1]}".strip()
        variants = action
        if complete and any(action):
            variants = (*(words.COMPLETE_TOO.format(action=a) for a in action), short)
        elif complete:
            variants = words.COMPLETE
        # Bold letters are wider than width_of says.
        label = fit(variants, size * 1.1, width - 8)
        weight, colour = (650, INK) if sends or receives else (0, MUTED)
        return text(width / 2, y, label, size, colour, "middle", weight) if label else ""
    return _small_label(content, complete, action[-1], place)


def _small_label(content: Content, complete: bool, action: str, place: Layout) -> str:
    """On the left who is in, on the right what happens."""
    width, y = place.cell_width, place.cell_height - 4
    count = len(content.ranks)
    variants = (
        ranges(content.ranks, place.world_size),
        words.HOW_MANY.format(count=count, all=place.world_size) if count else "",
    )
    room = width - 7 - (12 if action else 0)
    who = words.COMPLETE[1] if complete else fit(variants, 9.5, room)
    if content.unexplained or width < 24:
        who = ""
    parts = [text(4, y, who, 9.5, INK if complete else MUTED, weight=700 * complete)] if who else []
    if action:
        parts.append(text(width - 4, y, action, 11, INK, "end", 700))
    return "".join(parts)


def _action(sends: bool, receives: str, place: Layout) -> tuple[str, ...]:
    if sends and receives:
        return words.SENDS_AND_ADDS if receives == "adds" else words.SENDS_AND_OVERWRITES
    if sends:
        return words.SENDS
    return {"adds": words.ADDS, "overwrites": words.OVERWRITES}.get(receives, ("",))


def _what_is_wrong(content: Content, wanted: tuple[int, ...] | None, place: Layout) -> str:
    if content.unexplained or wanted is None:
        return fit(words.UNEXPLAINED, SMALL, place.cell_width - 6)
    pairs = list(enumerate(zip(content.counts, wanted, strict=True)))
    lacks = tuple(rank for rank, (count, want) in pairs if count < want)
    twice = tuple(rank for rank, (count, want) in pairs if count > 1)
    extra = tuple(rank for rank, (count, want) in pairs if count > want)
    says, whose = words.BELONGS_ELSEWHERE, extra
    if twice:
        says, whose = words.TWICE, twice
    if lacks:
        says, whose = words.LACKS, lacks
    values = {"whose": ranges(whose), "count": len(whose), "times": max(content.counts)}
    variants = tuple(template.format(**values) for template in says)
    return fit(variants, SMALL, place.cell_width - 6)


def ranges(ranks: tuple[int, ...], round_to: int = 0) -> str:
    """Ranks in little room: ``0-3,7``. With ``round_to`` ranks ``14-1`` goes round."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and runs[-1][-1] == rank - 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    if round_to and len(runs) > 1 and runs[0][0] == 0 and runs[-1][-1] == round_to - 1:
        runs[0] = runs.pop() + runs[0]
    return ",".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
