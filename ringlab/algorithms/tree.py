"""The binomial tree: everything is added on the way up to the root, the sum travels down.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH":
their binomial reduce and binomial broadcast, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._binomial import binomial_rounds
from ringlab.algorithms._parts import check_root, chunks_of
from ringlab.schedule import Schedule, Step, Transfer


def tree(world_size: int, chunk_sizes: Sequence[int] | None = None, *, root: int = 0) -> Schedule:
    """An all-reduce in 2 ceil(log2 N) steps: a reduce to ``root``, then a broadcast from it.

    A message carries the whole tensor: one chunk, unless ``chunk_sizes`` (elements) cuts it up.
    In each step half of the ranks that still take part send, the other half receive.
    """
    sizes = chunks_of(world_size, chunk_sizes, 1)
    check_root(root, world_size)
    steps = (
        *reduce_up(world_size, root, len(sizes)),
        *broadcast_down(world_size, root, len(sizes)),
    )
    return Schedule("tree", world_size, sizes, steps, root=root)


def reduce_up(world_size: int, root: int, chunk_count: int) -> tuple[Step, ...]:
    """The steps of a binomial reduce to ``root``."""
    whole = tuple(range(chunk_count))
    return tuple(
        Step(tuple(Transfer(edge.child, edge.parent, whole, True) for edge in edges), "reduce")
        for edges in reversed(binomial_rounds(world_size, root))
    )


def broadcast_down(world_size: int, root: int, chunk_count: int) -> tuple[Step, ...]:
    """The steps of a binomial broadcast from ``root``."""
    whole = tuple(range(chunk_count))
    return tuple(
        Step(tuple(Transfer(edge.parent, edge.child, whole, False) for edge in edges), "broadcast")
        for edges in binomial_rounds(world_size, root)
    )
