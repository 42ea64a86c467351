"""The sum of what all ranks have, on one rank, up a binomial tree.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._parts import check_root, chunks_of
from ringlab.algorithms.tree import reduce_up
from ringlab.schedule import Schedule


def reduce(world_size: int, chunk_sizes: Sequence[int] | None = None, *, root: int = 0) -> Schedule:
    """A reduce to ``root`` in ceil(log2 N) steps, the broadcast backwards.

    A message carries the whole tensor: one chunk, unless ``chunk_sizes`` (elements) cuts it up.
    """
    sizes = chunks_of(world_size, chunk_sizes, 1)
    check_root(root, world_size)
    steps = reduce_up(world_size, root, len(sizes))
    return Schedule("binomial", world_size, sizes, steps, "reduce", root)
