"""Which all-reduce is the cheapest on a topology, by the model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ringlab import algorithms
from ringlab.cost.load import Load, Plan, joined, plan, step_loads
from ringlab.cost.outline import blocks_that_fill, outline, tree_times
from ringlab.cost.pricing import Price, price_plan
from ringlab.cost.topology import Number, Shape, Topology

MOST_BLOCKS = 1024
"""A pipeline's number of blocks is tried in powers of two up to here."""


def cheapest(world_size: int, nbytes: Number, topology: Topology) -> str:
    """The name of the all-reduce in ``ringlab.algorithms`` with the lowest price.

    Of equal ones the first in ``prices``. Raises ValueError if the ranks don't fit.
    """
    all_prices = prices(world_size, nbytes, topology)
    return min(all_prices, key=lambda name: all_prices[name].seconds)


def prices(world_size: int, nbytes: Number, topology: Topology) -> dict[str, Price]:
    """The price of every all-reduce, each with the options that suit the topology best.

    The double binary tree has as many blocks as make it fastest; the hierarchical one has the
    topology's nodes, and is left out where the ranks don't fill them evenly or there is only one
    node or one rank a node: it would be a ring.

    Equal steps of a phase are priced as one: totals and phases are exact, ``steps`` are not in
    order.
    """
    topology.check_room(world_size)
    found: dict[str, Price] = {}
    for name in _all_reduces():
        if name == "hierarchical" and not _has_two_levels(world_size, topology):
            continue
        each = [
            price_plan(loads, topology, nbytes)
            for loads in _plans(name, world_size, topology.shape)
        ]
        found[name] = min(each, key=lambda price: price.seconds)
    return found


def _has_two_levels(world_size: int, topology: Topology) -> bool:
    return 1 < topology.ranks_per_node < world_size and world_size % topology.ranks_per_node == 0


@lru_cache(maxsize=256)
def _plans(name: str, world_size: int, shape: Shape) -> tuple[Plan, ...]:
    """One for each of the algorithm's options."""
    if name == "double_binary_tree":
        return tuple(loads.compact() for loads in _tree_plans(world_size, shape))
    if name == "hierarchical":
        options = {"ranks_per_node": shape.ranks_per_node}
        return (plan(outline(name, world_size, **options), shape).compact(),)
    return (plan(outline(name, world_size), shape).compact(),)


def _tree_plans(world_size: int, shape: Shape) -> Iterator[Plan]:
    """All pipelines that fill the trees have the same loads, only how often differs."""
    known: dict[int, tuple[Load, ...]] = {}
    for blocks in (1 << k for k in range(MOST_BLOCKS.bit_length())):
        filled = blocks_that_fill(world_size, blocks)
        if filled not in known:
            schedule = outline("double_binary_tree", world_size, blocks=filled).schedule
            known[filled] = step_loads(schedule, shape)
        yield joined(known[filled], tree_times(world_size, blocks), 2 * blocks)


@lru_cache(maxsize=1)
def _all_reduces() -> tuple[str, ...]:
    every = algorithms.names()
    return tuple(n for n in every if algorithms.get(n)(1).collective == "all_reduce")
