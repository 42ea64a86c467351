"""The sum of what all ranks have, one piece of it on each rank, by a ring.

Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of workstations".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._parts import chunks_of, grouped
from ringlab.algorithms._rounds import RingOf, reduce_scatter_rounds
from ringlab.schedule import Schedule


def reduce_scatter(world_size: int, chunk_sizes: Sequence[int] | None = None) -> Schedule:
    """The first half of the ring, in N-1 steps, so turned that rank r ends with piece r.

    ``chunk_sizes`` are elements, a multiple of N of them: the first N-th is rank 0's piece.
    """
    sizes = chunks_of(world_size, chunk_sizes, world_size)
    ring = RingOf(tuple(range(world_size)), grouped(len(sizes), world_size))
    steps = reduce_scatter_rounds([ring], "reduce-scatter")
    return Schedule("ring", world_size, sizes, tuple(steps), "reduce_scatter")
