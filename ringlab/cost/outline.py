"""Schedules of many ranks in short: each different step once, and how often it is done.

A ring of 10 000 ranks has 200 million messages, but all steps of a phase cost the same. An outline
prices exactly as the whole schedule with chunks of equal size does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ringlab import algorithms
from ringlab.algorithms._parts import grouped
from ringlab.algorithms._rounds import RingOf
from ringlab.algorithms._two_trees import two_trees
from ringlab.algorithms.hierarchical import (
    ALL_GATHER_BETWEEN,
    ALL_GATHER_INSIDE,
    REDUCE_SCATTER_BETWEEN,
    REDUCE_SCATTER_INSIDE,
    node_rings,
    usual_ranks_per_node,
)
from ringlab.schedule import Schedule, Step


@dataclass(frozen=True)
class Outline:
    """``times[i]``: how often step i of ``schedule`` is done. ``elements``: of the whole tensor."""

    schedule: Schedule
    times: tuple[int, ...]
    elements: int

    @staticmethod
    def of(schedule: Schedule) -> Outline:
        """A schedule as it is."""
        return Outline(schedule, (1,) * len(schedule.steps), schedule.elements)


def outline(name: str, world_size: int, **options: int) -> Outline:
    """An algorithm by its name in ``ringlab.algorithms``, as short as it can be told."""
    short = _SHORT.get(name)
    if short is None or world_size < 2:
        return Outline.of(algorithms.get(name)(world_size, **options))
    return short(world_size, **options)


@dataclass(frozen=True)
class _Rounds:
    """``times`` steps in which the same rings pass on parts of the same size."""

    phase: str
    rings: list[RingOf]
    reduce: bool
    times: int

    @property
    def step(self) -> Step:
        passing = (t for ring in self.rings for t in ring.passing(0, self.reduce))
        return Step(tuple(passing), self.phase)


def _of_rounds(name: str, world_size: int, *phases: _Rounds) -> Outline:
    done = [rounds for rounds in phases if rounds.times]
    steps = tuple(rounds.step for rounds in done)
    schedule = Schedule(name, world_size, (1,) * world_size, steps)
    return Outline(schedule, tuple(rounds.times for rounds in done), world_size)


def _ring(world_size: int) -> Outline:
    ring = [RingOf(tuple(range(world_size)), grouped(world_size, world_size))]
    return _of_rounds(
        "ring",
        world_size,
        _Rounds("reduce-scatter", ring, True, world_size - 1),
        _Rounds("all-gather", ring, False, world_size - 1),
    )


def _hierarchical(world_size: int, ranks_per_node: int | None = None) -> Outline:
    size = usual_ranks_per_node(world_size) if ranks_per_node is None else ranks_per_node
    inside, between = node_rings(world_size, size, grouped(world_size, world_size))
    near, far = size - 1, world_size // size - 1
    return _of_rounds(
        "hierarchical",
        world_size,
        _Rounds(REDUCE_SCATTER_INSIDE, inside, True, near),
        _Rounds(REDUCE_SCATTER_BETWEEN, between, True, far),
        _Rounds(ALL_GATHER_BETWEEN, between, False, far),
        _Rounds(ALL_GATHER_INSIDE, inside, False, near),
    )


def blocks_that_fill(world_size: int, blocks: int) -> int:
    """Blocks after which both trees are full: every further one repeats the two middle steps."""
    return min(blocks, two_trees(world_size).depth // 2 + 2)


def tree_times(world_size: int, blocks: int) -> tuple[int, ...]:
    """How often each step of a double binary tree with ``blocks_that_fill`` is done."""
    trees, filled = two_trees(world_size), blocks_that_fill(world_size, blocks)
    if not trees.edges:
        return ()
    times = [1] * (trees.depth + trees.period * (filled - 1))
    for step in range(trees.depth - 1, trees.depth - 1 + trees.period):
        if filled < blocks:
            times[step] += blocks - filled
    return (*reversed(times), *times)


def _double_binary_tree(world_size: int, blocks: int = 2) -> Outline:
    filled = blocks_that_fill(world_size, blocks)
    ones = (1,) * (2 * filled)
    schedule = algorithms.get("double_binary_tree")(world_size, ones, blocks=filled)
    return Outline(schedule, tree_times(world_size, blocks), 2 * blocks)


_SHORT: dict[str, Callable[..., Outline]] = {
    "ring": _ring,
    "hierarchical": _hierarchical,
    "double_binary_tree": _double_binary_tree,
}
