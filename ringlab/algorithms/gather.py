"""Every rank has a piece, and one rank collects them all, up a binomial tree.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._binomial import binomial_rounds
from ringlab.algorithms._parts import check_root, chunks_of, grouped
from ringlab.algorithms.ring import CHUNK_ELEMENTS
from ringlab.algorithms.scatter import pieces_below
from ringlab.schedule import Schedule, Step, Transfer


def gather(world_size: int, chunk_sizes: Sequence[int] | None = None, *, root: int = 0) -> Schedule:
    """A gather to ``root`` in ceil(log2 N) steps, the scatter backwards.

    ``chunk_sizes`` are elements, a multiple of N of them: the first N-th is rank 0's piece.
    """
    sizes = chunks_of(world_size, chunk_sizes, world_size, of_one=CHUNK_ELEMENTS)
    check_root(root, world_size)
    pieces = grouped(len(sizes), world_size)
    steps = tuple(
        Step(
            tuple(Transfer(e.child, e.parent, pieces_below(e, pieces), False) for e in edges),
            "gather",
        )
        for edges in reversed(binomial_rounds(world_size, root))
    )
    return Schedule("binomial", world_size, sizes, steps, "gather", root)
