"""Every rank has a piece, and every rank gets them all, by a ring.

Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of workstations".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._parts import chunks_of, grouped
from ringlab.algorithms._rounds import RingOf, all_gather_rounds
from ringlab.schedule import Schedule


def all_gather(world_size: int, chunk_sizes: Sequence[int] | None = None) -> Schedule:
    """The second half of the ring, in N-1 steps: rank r starts by sending its own piece r.

    ``chunk_sizes`` are elements, a multiple of N of them: the first N-th is rank 0's piece.
    """
    sizes = chunks_of(world_size, chunk_sizes, world_size)
    ring = RingOf(tuple(range(world_size)), grouped(len(sizes), world_size))
    steps = all_gather_rounds([ring], "all-gather")
    return Schedule("ring", world_size, sizes, tuple(steps), "all_gather")
