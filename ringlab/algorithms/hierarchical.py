"""Hierarchical: the fast links inside a node do most of the work, few bytes cross between nodes.

Three phases, each a ring (Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for
clusters of workstations"), as in Cho et al. 2019, "BlueConnect".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._parts import chunks_of, grouped
from ringlab.algorithms._rounds import RingOf, all_gather_rounds, reduce_scatter_rounds
from ringlab.schedule import Schedule
from ringlab.words import algorithms as words

REDUCE_SCATTER_INSIDE = "reduce-scatter inside nodes"
REDUCE_SCATTER_BETWEEN = "reduce-scatter between nodes"
ALL_GATHER_BETWEEN = "all-gather between nodes"
ALL_GATHER_INSIDE = "all-gather inside nodes"

MOST_PER_NODE = 8
"""GPUs of a usual node."""


def hierarchical(
    world_size: int,
    chunk_sizes: Sequence[int] | None = None,
    *,
    ranks_per_node: int | None = None,
) -> Schedule:
    """An all-reduce of K nodes with G ranks each, in 2(G-1) + 2(K-1) steps.

    Reduce-scatter inside each node, an all-reduce over the nodes among the ranks with the same
    place in their node, all-gather inside each node. Rank r is on node r // ranks_per_node.

    ``chunk_sizes`` are elements, N chunks or more. Bytes that cross nodes: 2(K-1)M in all. Without
    ``ranks_per_node`` it is what ``usual_ranks_per_node`` says. Raises ValueError if it doesn't
    divide the world size.
    """
    sizes = chunks_of(world_size, chunk_sizes, world_size)
    size = usual_ranks_per_node(world_size) if ranks_per_node is None else ranks_per_node
    inside, between = node_rings(world_size, size, grouped(len(sizes), world_size))
    steps = (
        *reduce_scatter_rounds(inside, REDUCE_SCATTER_INSIDE),
        *reduce_scatter_rounds(between, REDUCE_SCATTER_BETWEEN),
        *all_gather_rounds(between, ALL_GATHER_BETWEEN),
        *all_gather_rounds(inside, ALL_GATHER_INSIDE),
    )
    return Schedule("hierarchical", world_size, sizes, steps)


def node_rings(
    world_size: int, ranks_per_node: int, pieces: tuple[tuple[int, ...], ...]
) -> tuple[list[RingOf], list[RingOf]]:
    """The rings inside each node, and those of the ranks at the same place of each node.

    A piece of chunks for each rank. Raises ValueError if ``ranks_per_node`` doesn't divide.
    """
    size = ranks_per_node
    if size < 1 or world_size % size:
        raise ValueError(words.RANKS_PER_NODE.format(world_size=world_size, ranks_per_node=size))
    nodes = world_size // size
    shares = [pieces[place * nodes : (place + 1) * nodes] for place in range(size)]
    of_place = tuple(tuple(chunk for piece in share for chunk in piece) for share in shares)
    inside = [RingOf(tuple(range(n * size, (n + 1) * size)), of_place) for n in range(nodes)]
    between = [RingOf(tuple(range(p, world_size, size)), shares[p]) for p in range(size)]
    return inside, between


def usual_ranks_per_node(world_size: int) -> int:
    """The largest divisor of the world size that is at most 8 and leaves two nodes or more."""
    most = min(MOST_PER_NODE, world_size // 2)
    return max((size for size in range(1, most + 1) if world_size % size == 0), default=1)
