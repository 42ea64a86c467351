"""What a collective does, whatever the algorithm: each rank's buffers before it and after it.

The call, the formula and the buffers are those of ``torch.distributed`` as of torch 2.13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets

from ringlab.view.drawing import Box, Disc, Line, Shape, Words, png, svg
from ringlab.view.style import (
    CELL,
    COMPLETE,
    INK,
    LINE,
    MUTED,
    PAPER,
    fit,
    rank_colour,
    text_colour,
    width_of,
    wrap,
)
from ringlab.words import view_collective as words
from ringlab.words.lists import join_numbers

WIDTH = 1000
MARGIN = 24
MOST_RANKS = 8
SPELLED_OUT = 4
"""Sums of up to so many terms are written out."""
LEFT = (92.0, 372.0)
RIGHT = (560.0, 416.0)
"""x and width of the two sides."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One chunk of a buffer: whose contributions are in it. ``parts`` is empty if nothing is known
    of it: old content, or what the operation does not define."""

    parts: tuple[int, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Side:
    """The buffers of all ranks under one name; an empty row is a rank that has none."""

    name: str
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def columns(self) -> int:
        return max(map(len, self.rows))


@dataclass(frozen=True)
class Case:
    """One collective on so many ranks. Raises ValueError for what can't be drawn."""

    name: str
    world_size: int = 4
    root: int = 0
    op: str = "SUM"

    def __post_init__(self) -> None:
        if self.name not in words.TITLES:
            known = ", ".join(words.TITLES)
            raise ValueError(words.UNKNOWN.format(name=self.name, known=known))
        if not isinstance(self.world_size, int) or not 1 <= self.world_size <= MOST_RANKS:
            raise ValueError(words.BAD_RANKS.format(world_size=self.world_size, most=MOST_RANKS))
        if self.name == "send_recv" and self.world_size < 2:
            raise ValueError(words.BAD_PAIR.format(world_size=self.world_size))
        if self.op not in words.OPS:
            raise ValueError(words.UNKNOWN_OP.format(op=self.op, known=", ".join(words.OPS)))
        if not 0 <= self.root < self.world_size:
            last = self.world_size - 1
            raise ValueError(
                words.BAD_ROOT.format(root=self.root, world_size=self.world_size, last=last)
            )

    @property
    def ranks(self) -> range:
        return range(self.world_size)

    @property
    def peer(self) -> int:
        """Who receives what the root sends."""
        return (self.root + 1) % self.world_size

    @property
    def title(self) -> str:
        ranks = words.RANK_COUNT[self.world_size > 1].format(count=self.world_size)
        return words.TITLE.format(title=words.TITLES[self.name], ranks=ranks)

    @property
    def call(self) -> str:
        """How it is called in torch."""
        op = "" if self.op == "SUM" else words.WITH_OP.format(op=self.op)
        return words.CALLS[self.name].format(root=self.root, peer=self.peer, op=op)

    @property
    def formula(self) -> str:
        whole = [_whole(rank) for rank in self.ranks]
        chunks = [words.CHUNK_OF_R.format(rank=words.DIGITS[rank]) for rank in self.ranks]
        return words.FORMULAS[self.name].format(
            root=words.DIGITS[self.root],
            peer=words.DIGITS[self.peer],
            list=_listed(whole),
            list_of_chunks=_listed(chunks),
            reduced=_reduced(whole, self.op),
            reduced_chunk=_reduced(chunks, self.op),
            last_to_come=words.LAST_TO_COME,
        )

    @property
    def says(self) -> str:
        return words.SAYS[self.name].format(root=self.root, peer=self.peer)

    @property
    def sides(self) -> tuple[Side, Side] | None:
        """Before and after; None for a barrier, which has no buffers."""
        make = _SIDES.get(self.name)
        return None if make is None else make(self)

    @property
    def description(self) -> str:
        """The picture in words."""
        if self.sides is None:
            return words.BARRIER_DESCRIPTION.format(
                count=self.world_size, formula=self.formula, says=self.says
            )
        before, after = (" ".join(_row_in_words(side)) for side in self.sides)
        return words.DESCRIPTION.format(
            before=before, after=after, formula=self.formula, says=self.says
        )


def _whole(rank: int) -> str:
    return words.WHOLE.format(rank=words.DIGITS[rank])


def _chunk(rank: int, chunk: int) -> str:
    return words.CHUNK.format(rank=words.DIGITS[rank], chunk=chunk)


def _listed(terms: Sequence[str]) -> str:
    if len(terms) <= SPELLED_OUT:
        return words.LIST.format(all=", ".join(terms))
    return words.LONG_LIST.format(first=terms[0], second=terms[1], last=terms[-1])


def _reduced(terms: Sequence[str], op: str) -> str:
    _, long, between = words.OPS[op]
    count = len(terms)
    if count == 1:
        return terms[0]
    if count > SPELLED_OUT:
        return long.format(first=terms[0], second=terms[1], last=terms[-1], count=count)
    frame = words.FRAMES.get(op, words.FRAME)
    return frame.format(all=between.join(terms), op=op.lower(), count=count)


def _row_in_words(side: Side) -> Iterator[str]:
    for rank, row in enumerate(side.rows):
        if not row:
            yield words.ROW_NOTHING.format(rank=rank)
            continue
        cells = ", ".join(
            f"{cell.label} ({join_numbers(cell.parts)})" if len(cell.parts) > 1 else cell.label
            for cell in row
        )
        yield words.ROW.format(rank=rank, cells=cells)


# What is where, before and after.

OLD = Cell((), words.OLD)
UNDEFINED = Cell((), words.UNDEFINED)


def _own(case: Case, name: str = words.TENSOR) -> Side:
    return Side(name, tuple((Cell((rank,), _whole(rank)),) for rank in case.ranks))


def _own_chunks(case: Case, rank: int) -> tuple[Cell, ...]:
    return tuple(Cell((rank,), _chunk(rank, chunk)) for chunk in case.ranks)


def _on_root(case: Case, name: str, row: tuple[Cell, ...]) -> Side:
    rows = tuple(row if rank == case.root else () for rank in case.ranks)
    return Side(words.ON_ROOT.format(name=name, root=case.root), rows)


def _total(case: Case, term: str) -> Cell:
    label = words.OPS[case.op][0].format(term=term) if case.world_size > 1 else _whole(0)
    return Cell(tuple(case.ranks), label)


def _everything(case: Case) -> tuple[Cell, ...]:
    return tuple(Cell((rank,), _whole(rank)) for rank in case.ranks)


def _send_recv(case: Case) -> tuple[Side, Side]:
    sent = Cell((case.root,), _whole(case.root))
    ends = {case.root: (sent,), case.peer: (OLD,)}
    before = tuple(ends.get(rank, ()) for rank in case.ranks)
    after = tuple((sent,) if rank in ends else () for rank in case.ranks)
    return Side(words.TENSOR, before), Side(words.TENSOR, after)


def _broadcast(case: Case) -> tuple[Side, Side]:
    sent = Cell((case.root,), _whole(case.root))
    before = tuple((sent if rank == case.root else OLD,) for rank in case.ranks)
    return Side(words.TENSOR, before), Side(words.TENSOR, ((sent,),) * case.world_size)


def _scatter(case: Case) -> tuple[Side, Side]:
    chunks = _own_chunks(case, case.root)
    after = Side(words.TENSOR, tuple((chunk,) for chunk in chunks))
    return _on_root(case, words.SCATTER_LIST, chunks), after


def _gather(case: Case) -> tuple[Side, Side]:
    return _own(case), _on_root(case, words.GATHER_LIST, _everything(case))


def _reduce(case: Case) -> tuple[Side, Side]:
    total = _total(case, words.ALL_ELEMENTS)
    after = tuple((total if rank == case.root else UNDEFINED,) for rank in case.ranks)
    return _own(case), Side(words.TENSOR, after)


def _all_gather(case: Case) -> tuple[Side, Side]:
    after = Side(words.OUTPUT, (_everything(case),) * case.world_size)
    return _own(case, words.INPUT), after


def _reduce_scatter(case: Case) -> tuple[Side, Side]:
    before = tuple(_own_chunks(case, rank) for rank in case.ranks)
    after = tuple((_total(case, words.CHUNKS_OF.format(chunk=rank)),) for rank in case.ranks)
    return Side(words.INPUT, before), Side(words.OUTPUT, after)


def _all_reduce(case: Case) -> tuple[Side, Side]:
    total = _total(case, words.ALL_ELEMENTS)
    return _own(case), Side(words.TENSOR, ((total,),) * case.world_size)


def _all_to_all(case: Case) -> tuple[Side, Side]:
    before = tuple(_own_chunks(case, rank) for rank in case.ranks)
    after = tuple(zip(*before, strict=True))
    return Side(words.INPUT, before), Side(words.OUTPUT, after)


_SIDES: dict[str, Callable[[Case], tuple[Side, Side]]] = {
    "send_recv": _send_recv,
    "broadcast": _broadcast,
    "scatter": _scatter,
    "gather": _gather,
    "reduce": _reduce,
    "all_gather": _all_gather,
    "reduce_scatter": _reduce_scatter,
    "all_reduce": _all_reduce,
    "all_to_all": _all_to_all,
}
ROOTED = frozenset({"send_recv", "broadcast", "scatter", "gather", "reduce"})
IN_CHUNKS = frozenset({"scatter", "gather", "all_gather", "reduce_scatter", "all_to_all"})
"""One side is N times as large as a rank's share, so a share is drawn an N-th as wide."""
REDUCING = frozenset({"reduce", "reduce_scatter", "all_reduce"})


# How it is drawn.


def draw_collective(case: Case) -> str:
    """The picture as an SVG element."""
    shapes, height = _scene(case)
    return svg(shapes, WIDTH, height, case.title, case.description)


def png_of_collective(case: Case) -> bytes:
    shapes, height = _scene(case)
    return png(shapes, WIDTH, height)


def _pitch(case: Case) -> float:
    return 62.0 if case.world_size <= 4 else 50.0


def _scene(case: Case) -> tuple[list[Shape], float]:
    """All shapes, and how high the picture is."""
    top, pitch = 92.0, _pitch(case)
    shapes: list[Shape] = list(_heading(case))
    for rank in case.ranks:
        shapes += _rank(rank, case, top + (rank + 0.5) * pitch)
    if case.sides is None:
        shapes += _times(case, top)
    else:
        for side, (x, width), name in zip(
            case.sides, (LEFT, RIGHT), (words.BEFORE, words.AFTER), strict=True
        ):
            shapes.append(Words(x, top - 12, name.format(name=side.name), 12.5, MUTED))
            shapes += _buffers(case, side, x, width, top)
        middle = top + case.world_size * pitch / 2
        shapes.append(Line(LEFT[0] + LEFT[1] + 26, middle, RIGHT[0] - 34, middle, arrow=True))
    foot = top + case.world_size * pitch + 26
    shapes.append(Words(MARGIN, foot, case.formula, 16, bold=True))
    for index, line in enumerate(wrap(case.says, 13.5, WIDTH - 2 * MARGIN)):
        shapes.append(Words(MARGIN, foot + 26 + 20 * index, line, 13.5, MUTED))
    return shapes, foot + 44


def _heading(case: Case) -> Iterator[Shape]:
    yield Words(MARGIN, 36, case.title, 18, bold=True)
    yield Words(WIDTH - MARGIN, 36, case.call, 14, MUTED, "end", mono=True)


def _rank(rank: int, case: Case, y: float) -> Iterator[Shape]:
    fill = rank_colour(rank, case.world_size)
    yield Disc(MARGIN + 22, y, 15, fill)
    yield Words(MARGIN + 22, y + 5, str(rank), 14, text_colour(fill), "middle", bold=True)


def _buffers(case: Case, side: Side, x: float, width: float, top: float) -> Iterator[Shape]:
    pitch = _pitch(case)
    across = width / (max(case.world_size, 2) if case.name in IN_CHUNKS else 1)
    for rank, row in enumerate(side.rows):
        y = top + rank * pitch + 4
        if not row:
            yield Words(x + 12, y + pitch / 2, words.NOTHING, 14, MUTED)
        for column, cell in enumerate(row):
            room = across if side.columns > 1 else max(across, 20.0 * len(cell.parts) + 18)
            yield from _cell(case, cell, (x + column * across, y, room - 6, pitch - 8))


def _cell(case: Case, cell: Cell, frame: tuple[float, float, float, float]) -> Iterator[Shape]:
    x, y, width, height = frame
    middle = x + width / 2
    if not cell.parts:
        yield Box(x, y, width, height, PAPER, LINE, 1.2, dashed=True)
        label = fit((cell.label, "?"), 11.5, width - 6)
        yield Words(middle, y + height / 2 + 4, label, 11.5, MUTED, "middle")
        return
    reduced = len(cell.parts) > 1
    yield Box(x, y, width, height, COMPLETE if reduced else CELL, LINE)
    size = min(20.0, (width - 8) / len(cell.parts) - 2, height * 0.46)
    start = middle - len(cell.parts) * (size + 2) / 2 + 1
    for place, part in enumerate(cell.parts):
        fill = rank_colour(part, case.world_size)
        left = start + place * (size + 2)
        yield Box(left, y + height * 0.12, size, size, fill, radius=3)
        number = (left + size / 2, y + height * 0.12 + size * 0.72)
        yield Words(*number, str(part), size * 0.62, text_colour(fill), "middle", bold=True)
    small = min(12.0, 12.0 * (width - 4) / max(width_of(cell.label, 12.0), 1.0))
    yield Words(middle, y + height - 6, cell.label, small, INK, "middle")


def _times(case: Case, top: float) -> Iterator[Shape]:
    """When each rank comes to the barrier, and when they leave."""
    pitch, x, width = _pitch(case), LEFT[0], RIGHT[0] + RIGHT[1] - LEFT[0]
    comes = [0.16 + 0.42 * ((3 * rank + 2) % 8) / 7 for rank in case.ranks]
    last = x + width * max(comes)
    for rank, share in enumerate(comes):
        y, height = top + rank * pitch + 12, pitch - 24
        at = x + width * share
        fill = rank_colour(rank, case.world_size)
        yield Box(x, y, at - x, height, fill, radius=3)
        yield Words(x + 10, y + height / 2 + 4, words.COMPUTES, 12, text_colour(fill))
        yield Box(last, y, width * 0.2, height, fill, radius=3)
        yield Words(last + 10, y + height / 2 + 4, words.GOES_ON, 12, text_colour(fill))
        if last - at > 1:
            yield Box(at, y, last - at, height, PAPER, MUTED, 1.2, dashed=True, radius=3)
            label = fit((words.WAITS, ""), 12, last - at - 8)
            yield Words(at + 8, y + height / 2 + 4, label, 12, MUTED)
    bottom = top + case.world_size * pitch
    yield Line(last, top - 2, last, bottom, INK, 2)
    yield Words(last, top - 10, words.LAST_COMES, 12.5, MUTED, "middle")


# In a notebook.


class Collective(widgets.VBox):  # type: ignore[misc]
    """The picture of one collective, with controls to look at the others if ``can_choose``."""

    def __init__(self, case: Case, can_choose: bool = False) -> None:
        self.case = case
        self._picture = widgets.HTML(draw_collective(case), layout=widgets.Layout(width="auto"))
        self._picture.add_class("ringlab-picture")
        self._controls = self._make_controls() if can_choose else ()
        bar = widgets.HBox(
            self._controls, layout=widgets.Layout(flex_flow="row wrap", width="100%")
        )
        children = [bar, self._picture] if can_choose else [self._picture]
        super().__init__(children, layout=widgets.Layout(width="100%"))
        self.add_class("ringlab-collective")

    @property
    def svg(self) -> str:
        """The picture on show."""
        return str(self._picture.value)

    def _make_controls(self) -> tuple[Any, ...]:
        case = self.case
        names = [(title, name) for name, title in words.TITLES.items()]
        style, narrow = {"description_width": "initial"}, widgets.Layout(width="190px")
        self._name = widgets.Dropdown(
            options=names, value=case.name, description=words.CHOOSE, style=style, layout=narrow
        )
        self._ranks = widgets.IntSlider(
            value=case.world_size,
            min=1,
            max=MOST_RANKS,
            description=words.RANKS,
            style=style,
            layout=widgets.Layout(width="260px"),
        )
        self._root = widgets.Dropdown(
            options=list(case.ranks),
            value=case.root,
            description=words.ROOT,
            style=style,
            layout=widgets.Layout(width="110px"),
        )
        self._op = widgets.ToggleButtons(
            options=list(words.OPS),
            value=case.op,
            style={"button_width": "auto"},
            layout=widgets.Layout(width="max-content"),
        )
        controls = (self._name, self._ranks, self._root, self._op)
        for control, name in zip(controls, ("name", "ranks", "root", "op"), strict=True):
            control.add_class(f"ringlab-{name}")
            control.observe(self._on_choice, "value")
        self._enable()
        # A description of its own would put the buttons on a line of their own.
        return (*controls[:3], widgets.HBox([widgets.Label(words.OP), self._op]))

    def _enable(self) -> None:
        """Only what makes a difference can be chosen."""
        self._root.disabled = self._name.value not in ROOTED
        self._op.disabled = self._name.value not in REDUCING
        self._ranks.min = 2 if self._name.value == "send_recv" else 1

    def _on_choice(self, change: dict[str, Any]) -> None:
        self._enable()
        count = self._ranks.value
        if len(self._root.options) != count:
            root = self._root.value
            with self.hold_trait_notifications():
                self._root.options = list(range(count))
                self._root.value = min(root if root is not None else 0, count - 1)
        root = self._root.value if self._root.value is not None else 0
        self.case = Case(self._name.value, count, root, self._op.value)
        self._picture.value = draw_collective(self.case)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live picture, and beside it the one that stays when no kernel is there."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if not bundle:
            return bundle
        alt = f"{self.case.title}. {self.case.description}"
        bundle["text/plain"] = alt
        bundle["image/png"] = png_of_collective(self.case)
        return bundle, {"image/png": {"alt": alt}}


def collective(
    name: str | None = None, world_size: int = 4, root: int = 0, op: str = "SUM"
) -> Collective:
    """What a collective does: each rank's buffers before and after, the call, the formula.

    ``name`` is one of send_recv, broadcast, scatter, gather, reduce, all_gather, reduce_scatter,
    all_reduce, all_to_all, barrier; without one there are controls to choose with. ``root`` is the
    root of the operation, or the sender. ``op`` is SUM, AVG, PRODUCT, MIN or MAX. Raises ValueError
    for a name, a rank or a number of ranks that does not exist or can't be drawn (more than 8).
    """
    return Collective(Case(name or "all_reduce", world_size, root, op), can_choose=name is None)
