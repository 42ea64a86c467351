"""What one rank has goes to every rank, down a binomial tree.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._parts import check_root, chunks_of
from ringlab.algorithms.tree import broadcast_down
from ringlab.schedule import Schedule


def broadcast(
    world_size: int, chunk_sizes: Sequence[int] | None = None, *, root: int = 0
) -> Schedule:
    """A broadcast from ``root`` in ceil(log2 N) steps: in each, all that have it send it on.

    A message carries the whole tensor: one chunk, unless ``chunk_sizes`` (elements) cuts it up.
    """
    sizes = chunks_of(world_size, chunk_sizes, 1)
    check_root(root, world_size)
    steps = broadcast_down(world_size, root, len(sizes))
    return Schedule("binomial", world_size, sizes, steps, "broadcast", root)
