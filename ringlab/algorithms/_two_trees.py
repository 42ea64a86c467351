"""Two binary trees over the same ranks, and when each of their edges is used.

Sanders, Speck, Traeff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction and scan".
A rank has children in one of the trees at most, so that between them both directions of its link
are always busy.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class TreeEdge:
    """One edge of tree 0 or 1. A broadcast uses it for block j at step ``start`` + j * period."""

    tree: int
    parent: int
    child: int
    start: int = 0


@dataclass(frozen=True)
class TwoTrees:
    """``depth``: steps that one block takes from the roots to all leaves."""

    edges: tuple[TreeEdge, ...]
    depth: int
    period: int


@lru_cache(maxsize=128)
def two_trees(world_size: int) -> TwoTrees:
    """Both trees with a time for each edge, so that no rank ever sends or receives two blocks.

    Edges of one colour are used in even steps, those of the other in odd ones. What a rank
    receives from its two parents has different colours, and so has what it sends to its children.
    """
    edges = [
        TreeEdge(tree, parent, child)
        for tree, parents in enumerate((_first(world_size), _second(world_size)))
        for child, parent in parents.items()
        if parent is not None
    ]
    colours = _colours(edges)
    period = len(set(colours)) or 1
    timed = _timed(edges, colours, period)
    return TwoTrees(timed, max((edge.start + 1 for edge in timed), default=0), period)


def _first(world_size: int) -> dict[int, int | None]:
    """The parent of each rank in a binary tree numbered in order: even ranks are its leaves.

    Counted from 1, a rank is as many levels above the leaves as zeros end it in binary.
    """
    parents: dict[int, int | None] = {}
    for number in range(1, world_size + 1):
        lowest = number & -number
        above = (number ^ lowest) | (lowest << 1)
        if above > world_size:
            above = number ^ lowest
        parents[number - 1] = above - 1 if above else None
    return parents


def _second(world_size: int) -> dict[int, int | None]:
    """The first tree mirrored, or shifted by one for an odd number of ranks.

    Leaves swap roles, but for one rank where their number is odd: it is a leaf in both.
    """

    def moved(rank: int) -> int:
        return (rank + 1) % world_size if world_size % 2 else world_size - 1 - rank

    return {
        moved(child): None if parent is None else moved(parent)
        for child, parent in _first(world_size).items()
    }


def _colours(edges: list[TreeEdge]) -> list[int]:
    """0 or 1 for each edge, so that no rank sends over two edges of one colour, or receives so.

    Two edges at most leave each rank and two reach it: they form paths and even circles.
    """
    meeting: dict[tuple[str, int], list[int]] = defaultdict(list)
    for index, edge in enumerate(edges):
        meeting["from", edge.parent].append(index)
        meeting["to", edge.child].append(index)
    colours: dict[int, int] = {}
    for first in range(len(edges)):
        waiting = [] if first in colours else [first]
        colours.setdefault(first, 0)
        while waiting:
            index = waiting.pop()
            edge = edges[index]
            for other in meeting["from", edge.parent] + meeting["to", edge.child]:
                if other not in colours:
                    colours[other] = 1 - colours[index]
                    waiting.append(other)
    return [colours[index] for index in range(len(edges))]


def _timed(edges: list[TreeEdge], colours: list[int], period: int) -> tuple[TreeEdge, ...]:
    """Each edge as soon as its parent has the block and the step has its colour."""
    below: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, edge in enumerate(edges):
        below[edge.tree, edge.parent].append(index)
    children = {(edge.tree, edge.child) for edge in edges}
    waiting = [(place, 0) for place in below if place not in children]
    timed = list(edges)
    while waiting:
        place, ready = waiting.pop()
        for index in below[place]:
            edge = edges[index]
            start = ready + (colours[index] - ready) % period
            timed[index] = TreeEdge(edge.tree, edge.parent, edge.child, start)
            waiting.append(((edge.tree, edge.child), start + 1))
    return tuple(timed)
