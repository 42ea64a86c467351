"""The binomial tree under broadcast, reduce, scatter and gather.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edge:
    """``below``: the ranks of the child's subtree, the child first."""

    parent: int
    child: int
    below: tuple[int, ...]


def binomial_rounds(world_size: int, root: int = 0) -> tuple[tuple[Edge, ...], ...]:
    """The ceil(log2 N) rounds of a broadcast from ``root``: who sends to whom at the same time.

    Counted from the root, place v sends to place v + 2**k, the largest k first. A place is a child
    at the lowest bit that is set in it, so its subtree is the 2**k places from it on.
    """

    def rank(place: int) -> int:
        return (place + root) % world_size

    def edge(place: int, reach: int) -> Edge:
        child = place + reach
        below = range(child, min(child + reach, world_size))
        return Edge(rank(place), rank(child), tuple(map(rank, below)))

    reaches = [1 << k for k in reversed(range((world_size - 1).bit_length()))]
    return tuple(
        tuple(edge(place, reach) for place in range(0, world_size - reach, 2 * reach))
        for reach in reaches
    )
