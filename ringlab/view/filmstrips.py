"""The steps of a schedule side by side, for paper and for readers without a kernel."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D, ScaledTranslation
from PIL import Image

from ringlab.schedule import Playback, is_complete
from ringlab.view.captions import caption, playback_of, title
from ringlab.view.style import (
    CELL,
    COMPLETE,
    INK,
    LINE,
    MUTED,
    PAPER,
    WRONG,
    rank_colour,
    text_colour,
)
from ringlab.words import view as words

DPI = 110
GLYPH_SIZE = 20.0
MOST_NUMBERED = 24
"""With more chunks than these the boxes are too small for numbers."""

Box = tuple[float, float, float, float]
"""x, y, width, height."""


def most_frames(world_size: int) -> int:
    """More frames than these make no picture that is read at a glance."""
    return 15 if world_size <= 4 else 9 if world_size <= 8 else 6


def filmstrip(what: Any) -> Figure:
    """All steps of a schedule, playback or trace as small tables of who is in which chunk.

    A frame shows what the ranks hold before a step and what the step does; the last frame is how
    it ends. Of a long schedule some frames are left out, and the figure says so.
    """
    playback = playback_of(what)
    frames, left_out = _frames(playback)
    columns = min(len(frames), _columns(playback))
    rows = -(-len(frames) // columns)
    width, height = _frame_size(playback)
    tall = rows * height + 0.85
    wide = max(columns * width + 0.3, 6.0)
    figure = Figure(figsize=(wide, tall), facecolor=PAPER, dpi=DPI)
    figure.text(0.2 / wide, 1 - 0.32 / tall, title(playback), fontsize=13, weight="bold", color=INK)
    for index, step in enumerate(frames):
        row, column = divmod(index, columns)
        left = (0.15 + column * width + 0.22) / wide
        bottom = 1 - (0.4 + (row + 1) * height - 0.1) / tall
        axes = figure.add_axes((left, bottom, (width - 0.34) / wide, (height - 0.62) / tall))
        _frame(axes, playback, step)
    key = words.FRAME_KEY if playback.schedule.world_size <= 8 else words.FRAME_KEY_MANY
    if not playback.is_right:
        key += words.FRAME_KEY_WRONG
    if left_out:
        key = f"{words.FRAMES_LEFT_OUT.format(count=left_out)} {key}"
    size = 8 if wide > 8 else 6.5
    figure.text(0.2 / wide, 0.16 / tall, _wrapped(key, wide, size), fontsize=size, color=MUTED)
    return figure


def png_of(what: Any) -> bytes:
    """The filmstrip as PNG, of few colours so that a stored notebook stays small."""
    canvas = FigureCanvasAgg(filmstrip(what))
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    image = Image.fromarray(pixels).convert("RGB")
    target = io.BytesIO()
    image.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        target, format="PNG", optimize=True
    )
    return target.getvalue()


def alt_text(what: Any) -> str:
    """The filmstrip in words: a caption for each step, and how it ends."""
    playback = playback_of(what)
    frames, left_out = _frames(playback)
    steps = playback.schedule.steps
    sentences = []
    for step in frames[:-1]:
        says, phase = caption(playback, step), steps[step].phase
        template = words.ALT_STEP if phase else words.ALT_STEP_PLAIN
        sentences.append(template.format(step=step, phase=phase, caption=says))
    more = words.ALT_SOME if left_out else ""
    return words.ALT.format(
        title=title(playback),
        frames=len(frames),
        steps=more + " ".join(sentences),
        end=caption(playback, len(steps)),
    )


def _frames(playback: Playback) -> tuple[list[int], int]:
    """The steps to show, the end among them, and how many are left out."""
    last, most = len(playback.schedule.steps), most_frames(playback.schedule.world_size)
    if last < most:
        return list(range(last + 1)), 0
    changes = [s for s in range(1, last) if _phase(playback, s) != _phase(playback, s - 1)]
    wanted = {0, 1, last - 1, last, *changes[: max(1, most - 6)]}
    spread = [round(i * last / (most - 1)) for i in range(most)]
    for step in spread:
        if len(wanted) < most:
            wanted.add(step)
    return sorted(wanted), last + 1 - len(wanted)


def _phase(playback: Playback, step: int) -> str:
    return playback.schedule.steps[step].phase


def _frame_size(playback: Playback) -> tuple[float, float]:
    """Inches of one frame."""
    schedule = playback.schedule
    cell = _cell_inches(schedule.world_size)
    longest = max(len(_frame_title(playback, step)) for step in range(len(schedule.steps) + 1))
    width = max(0.4 + 0.072 * longest, schedule.chunk_count * cell[0] + 0.34)
    return min(width, 4.6), min(schedule.world_size * cell[1] + 0.62, 5.2)


def _cell_inches(world_size: int) -> tuple[float, float]:
    if world_size <= 4:
        return 0.12 + 0.15 * world_size, 0.36
    if world_size <= 8:
        return 0.1 + 0.105 * -(-world_size // 2), 0.34
    return 0.26, 0.22


def _columns(playback: Playback) -> int:
    width, _ = _frame_size(playback)
    return max(1, int(13.9 / width))


def _wrapped(key: str, width: float, size: float) -> str:
    letters = int(width * 72 / size * 1.85)
    lines = [""]
    for word in key.split():
        if len(lines[-1]) + len(word) + 1 > letters:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _frame(axes: Axes, playback: Playback, step: int) -> None:
    schedule = playback.schedule
    few = schedule.world_size <= 8
    axes.set_xlim(0, schedule.chunk_count)
    axes.set_ylim(schedule.world_size, 0)
    axes.set_axis_off()
    name = _frame_title(playback, step)
    # Not the axes' title: to place one, matplotlib measures all ticks, which takes half the time.
    offset = ScaledTranslation(0, 20 / 72, axes.figure.dpi_scale_trans)
    where = axes.transAxes + offset
    axes.text(0, 1, name, fontsize=8.5 if few else 7.5, color=INK, transform=where)
    size = 8 if few else 5.5
    left, top = axes.transData.inverted().transform(axes.transData.transform((0, 0)) - (10, -9))
    every = -(-schedule.chunk_count // 32)
    for chunk in range(0, schedule.chunk_count, every):
        _write(axes, str(chunk), [(chunk + 0.5, top)], MUTED, size, "normal")
    for rank in range(schedule.world_size):
        _write(axes, str(rank), [(left, rank + 0.5)], MUTED, size, "normal")
    _cells(axes, playback, step)
    _parts(axes, playback, step)


def _frame_title(playback: Playback, step: int) -> str:
    steps = playback.schedule.steps
    if not steps:
        return words.FRAME_START
    if step == len(steps):
        return words.FRAME_END.format(last=step - 1)
    where = words.FRAME_STEP.format(step=step)
    phase = steps[step].phase
    where = words.WITH_PHASE.format(step=where, phase=phase) if phase else where
    kinds = {t.reduce for t in steps[step].transfers}
    if len(kinds) == 1:
        where = words.WITH_PHASE.format(step=where, phase=words.FRAME_DOES[kinds.pop()])
    return where


def _cells(axes: Axes, playback: Playback, step: int) -> None:
    """The chunks' backgrounds, and borders for what the step does."""
    steps = playback.schedule.steps
    transfers = steps[step].transfers if step < len(steps) else ()
    boxes, fills, wrongs = [], [], []
    for rank, row in enumerate(playback.states[step]):
        for chunk, content in enumerate(row):
            wanted = playback.goal[rank][chunk]
            done = wanted is not None and is_complete(content, wanted)
            wrong = step == len(steps) and wanted is not None and not done
            boxes.append(_cell(rank, chunk))
            wrongs += [boxes[-1]] * wrong
            fills.append(COMPLETE if done else WRONG if wrong else CELL)
    sends = [_cell(t.src, c) for t in transfers for c in t.chunks]
    receives = [_cell(t.dst, c) for t in transfers for c in t.places]
    hollow = {"facecolors": "none"}
    thick = 1.8 if playback.schedule.world_size <= 8 else 1.2
    _fill(axes, boxes, facecolors=fills, edgecolors=LINE, linewidths=0.6)
    dashed = {"linewidths": 1.0, "linestyles": (0, (3, 2))}
    both = set(sends) & set(receives)
    _fill(axes, [box for box in receives if box not in both], edgecolors=INK, **dashed, **hollow)
    _fill(axes, wrongs, edgecolors=INK, linewidths=1.2, **hollow)
    _fill(axes, sends, edgecolors=INK, linewidths=thick, **hollow)
    # One that sends and receives has a thick border that is dashed.
    _fill(axes, sorted(both), edgecolors=PAPER, **dashed, **hollow)


def _fill(axes: Axes, boxes: Sequence[Box], **style: Any) -> None:
    """Many rectangles as one collection. A Patch for each would take seconds."""
    if boxes:
        x, y, width, height = np.array(boxes, dtype=float).T
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        shapes = list(np.array(corners).transpose(2, 0, 1))
        axes.add_collection(PolyCollection(shapes, **style))


def _cell(rank: int, chunk: int) -> Box:
    return chunk + 0.05, rank + 0.06, 0.9, 0.88


def _parts(axes: Axes, playback: Playback, step: int) -> None:
    """Whose contributions are in: boxes up to 8 ranks, above that how full each chunk is."""
    world_size = playback.schedule.world_size
    boxes: list[Box] = []
    fills: list[str] = []
    labels: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for rank, row in enumerate(playback.states[step]):
        for chunk, content in enumerate(row):
            most = max(content.counts)
            if content.unexplained:
                labels[words.UNKNOWN, INK].append((chunk + 0.5, rank + 0.5))
            elif world_size > 8:
                share = len(content.ranks) / world_size
                boxes.append((chunk + 0.12, rank + 0.2, 0.76 * share, 0.6))
                fills.append(rank_colour(0, world_size))
                if most > 1:
                    labels[words.TIMES.format(count=most), PAPER].append((chunk + 0.5, rank + 0.5))
            else:
                for who, box in _boxes(content.counts, rank, chunk):
                    count, fill = content.counts[who], rank_colour(who, world_size)
                    label = str(who) if count == 1 else words.TIMES.format(count=count)
                    middle = box[0] + box[2] / 2, box[1] + box[3] / 2
                    labels[label, text_colour(fill)].append(middle)
                    boxes.append(box)
                    fills.append(fill)
    _fill(axes, boxes, facecolors=fills, linewidths=0)
    size = 6.5 if world_size <= 4 else 5
    for (label, colour), places in labels.items():
        if playback.schedule.chunk_count <= MOST_NUMBERED or label == words.UNKNOWN:
            _write(axes, label, places, colour, size)


def _boxes(counts: Sequence[int], rank: int, chunk: int) -> Iterator[tuple[int, Box]]:
    """A box for each rank that is in, at that rank's place in the cell."""
    world_size = len(counts)
    per_row = world_size if world_size <= 4 else -(-world_size // 2)
    rows = -(-world_size // per_row)
    wide, tall = 0.82 / per_row, min(0.74 / rows, 0.42)
    top = rank + 0.5 - rows * tall / 2
    for who, count in enumerate(counts):
        if count:
            row, column = divmod(who, per_row)
            x, y = chunk + 0.09 + column * wide, top + row * tall
            yield who, (x + wide * 0.05, y + tall * 0.05, wide * 0.9, tall * 0.9)


def _write(
    axes: Axes,
    label: str,
    places: Sequence[tuple[float, float]],
    colour: str,
    size: float,
    weight: str = "bold",
) -> None:
    """One short text at many places. A Text for each would take seconds."""
    glyphs = PathCollection(
        [_glyphs(label, weight)],
        offsets=places,
        offset_transform=axes.transData,
        facecolors=colour,
        linewidths=0,
        zorder=3,
        clip_on=False,
    )
    glyphs.set_transform(Affine2D().scale(DPI / 72 * size / GLYPH_SIZE))
    axes.add_collection(glyphs, autolim=False)


@lru_cache(maxsize=256)
def _glyphs(label: str, weight: str) -> Path:
    """The outline of a text around its middle."""
    path = TextPath((0, 0), label, size=GLYPH_SIZE, prop=FontProperties(weight=weight))
    box = path.get_extents()
    middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return Path(path.vertices - middle, path.codes)
