"""Every rank has a block for every rank, and they are exchanged, each directly.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH":
their pairwise exchange for long messages, in the form for any number of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._parts import chunks_of, grouped
from ringlab.algorithms.ring import CHUNK_ELEMENTS
from ringlab.schedule import Schedule, Step, Transfer


def all_to_all(world_size: int, chunk_sizes: Sequence[int] | None = None) -> Schedule:
    """An all-to-all in N-1 steps: in step s rank r sends to r + s + 1 and hears from r - s - 1.

    ``chunk_sizes`` are the elements of all ranks' blocks, a multiple of N * N of them: the blocks
    of rank 0 first, in the order of the ranks that they are for.
    """
    sizes = chunks_of(world_size, chunk_sizes, world_size**2, of_one=CHUNK_ELEMENTS)
    blocks = grouped(len(sizes), world_size**2)

    def exchange(distance: int) -> Step:
        to = [(rank + distance) % world_size for rank in range(world_size)]
        return Step(
            tuple(
                Transfer(rank, dst, blocks[rank * world_size + dst], False)
                for rank, dst in enumerate(to)
            ),
            "exchange",
        )

    steps = tuple(map(exchange, range(1, world_size)))
    return Schedule("pairwise", world_size, sizes, steps, "all_to_all")
