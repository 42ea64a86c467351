"""Where things lie in a picture, worked out once for a number of ranks and chunks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

WIDTH = 1000
MARGIN = 24
MOST_RANKS_IN_RING = 8
"""Above it the table carries the picture and the ring shrinks to a hint."""
MOST_SLOTS = 16
"""Above it a chunk shows how much is in it, no longer who."""
RING_WIDTH = 372
HINT_RADIUS = 58


@dataclass(frozen=True)
class Layout:
    """Sizes in SVG units. A slot is the little box of one rank's part in a chunk."""

    world_size: int
    chunk_count: int
    table_x: float
    pitch_x: float
    pitch_y: float
    cell_width: float
    cell_height: float
    per_row: int
    slot_width: float
    slot_height: float
    body_y: float
    body_height: float
    table_y: float
    ring_x: float
    ring_y: float
    ring_radius: float
    node_radius: float

    @property
    def is_large(self) -> bool:
        """Whether the ring is drawn large, with the messages on it."""
        return self.world_size <= MOST_RANKS_IN_RING

    @property
    def slot_gap(self) -> float:
        return 3 if self.slot_width >= 13.5 else 1

    @property
    def slot_rows(self) -> int:
        return -(-min(self.world_size, MOST_SLOTS) // self.per_row)

    @property
    def has_numbers(self) -> bool:
        """Whether the boxes are large enough to carry the rank's number."""
        return self.slot_width >= 10 and self.slot_height >= 10

    @property
    def bottom(self) -> float:
        return self.body_y + self.body_height


@lru_cache(maxsize=256)
def layout(world_size: int, chunk_count: int, uneven: bool) -> Layout:
    """``uneven``: the column heads have a second line that tells the size of each chunk."""
    large = world_size <= MOST_RANKS_IN_RING
    table_x: float = MARGIN + (RING_WIDTH if large else 0) + 38
    room = WIDTH - MARGIN - table_x
    few = chunk_count < 3
    widest = (190 if few else 132) if large else (400 if few else 150)
    pitch_x = min(widest, room / max(chunk_count, 1))
    gap = 8 if pitch_x > 80 else 5 if pitch_x > 60 else 4 if pitch_x > 20 else 1
    cell_width = pitch_x - gap
    slots = min(world_size, MOST_SLOTS)
    in_one_row = slots <= 4 or cell_width >= 17 * slots
    per_row = slots if in_one_row else -(-slots // 2)
    padding = 10 if cell_width > 80 else 6
    slot_gap = 3 if (cell_width - padding) / per_row >= 16 else 1
    slot_width = max(1.0, min(20.0, (cell_width - padding + slot_gap) / per_row - slot_gap))
    slot_height = min(20.0, slot_width + 2) if large else 14.0 if in_one_row else 9.0
    slot_rows = -(-slots // per_row)
    table_x += (room - pitch_x * chunk_count + gap) / 2
    cell_height = slot_rows * (slot_height + slot_gap) + (26 if large else 19)
    pitch_y = cell_height + (8 if large else 5)
    head = 44 if uneven else 28
    table_height = world_size * pitch_y + head
    body_y = 52 if large else 150
    ring_height = {1: 150.0, 2: 310.0, 3: 310.0, 4: 310.0}.get(world_size, 360.0)
    body_height = max(ring_height, table_height) if large else table_height
    middle = body_y + body_height / 2
    return Layout(
        world_size=world_size,
        chunk_count=chunk_count,
        table_x=table_x,
        pitch_x=pitch_x,
        pitch_y=pitch_y,
        cell_width=cell_width,
        cell_height=cell_height,
        per_row=per_row,
        slot_width=slot_width,
        slot_height=slot_height,
        body_y=body_y,
        body_height=body_height,
        table_y=middle - table_height / 2 + head,
        ring_x=MARGIN + RING_WIDTH / 2 - 8 if large else WIDTH - MARGIN - HINT_RADIUS - 14,
        ring_y=middle if large else 78,
        ring_radius=116 if large else HINT_RADIUS,
        node_radius={1: 26, 2: 26, 3: 26, 4: 25}.get(world_size, 20) if large else 7,
    )
