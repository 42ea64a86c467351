"""Lesson 05: few bytes on the slow links between nodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import mean_instead_of_sum, unequal_groups
from ringlab.catalog.shared import usual_cases
from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ringlab.grading.cases import Case, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.trace.records import RankRecord

TASK = """\
The ranks sit on nodes: rank r on node r // ranks_per_node. Inside a node links are fast, between
nodes slow. The usual way is to sum inside each node first, then between nodes, then to pass the sum
on inside; what counts is how much crosses. Afterwards every rank's `tensor` holds the sum, in
place.

* Any operation, `new_group` too. N is a multiple of `ranks_per_node`; where it isn't:
  `ValueError`, before anything is sent.
* With K nodes, at most 2(K − 1)·M bytes cross from node to node, summed over the cluster; M is
  rounded up to a multiple of N elements. A collective is priced as a ring in rank order: an
  all_reduce of m bytes over G members on k nodes crosses with k·2(G − 1)/G·m, a broadcast or reduce
  with (k − 1)·m, an all_gather of m from each with k(G − 1)·m. Nothing crosses for k = 1.
* In a collective over several nodes at most one rank of each node takes part.
* Any world size from 1, any shape.
"""

HINTS = (
    "One way: reduce to the first rank of each node, all_reduce among these first ranks, broadcast "
    "from them. Another: reduce_scatter inside, all_reduce among the ranks with the same place in "
    "their nodes, all_gather inside.",
    "`dist.new_group(ranks)` makes a group. Every rank must call it for every group, in the same "
    "order, also for the groups that it is not in.",
    "`dist.reduce(tensor, dst, group=group)` and `dist.broadcast(tensor, src, group=group)` take "
    "the rank in the world, not the rank in the group.",
)


def rules() -> SourceRules:
    """Any operation of the group."""
    from ringlab.grading.source import SourceRules

    return SourceRules(
        name="hierarchical_all_reduce",
        kind="function",
        parameters=("tensor", "ranks_per_node"),
        allowed_communication=None,
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Nodes of every size, and for one of them every shape and dtype; few cases on many ranks."""
    import torch

    from ringlab.grading.cases import one_case, pick, refused_case, sum_over_ranks

    n = world_size
    sizes = [size for size in range(1, n + 1) if n % size == 0]
    usual = next((size for size in sizes if 1 < size < n), n)
    many = n > 4
    if many:
        sizes = [size for size in sizes if 1 < size < n]
    found = [
        one_case(
            n,
            generator,
            sum_over_ranks,
            own_words.GROUP_NODES,
            shape,
            torch.float32,
            more={"ranks_per_node": size},
        )
        for size in sorted(sizes, key=lambda size: size != usual)
        for shape in ([(2 * n + 1,)] if many else [(2 * n,), (2 * n + 1,)])
    ]
    found += [
        refused_case(
            one_case(
                n,
                generator,
                sum_over_ranks,
                own_words.GROUP_NODES,
                (2 * n,),
                torch.float32,
                more={"ranks_per_node": size},
            ),
            own_words.NODES_UNEVEN.format(world_size=n, ranks_per_node=size),
        )
        for size in ((n - 1, n + 1) if n > 2 and not many else (n + 1,))
    ]
    if many:
        return found
    shapes: dict[str, list[tuple[int, ...]]] = {
        words.GROUP_FEW: [(1,)],
        words.GROUP_SHAPES: [(3, 5), ()],
        words.GROUP_EMPTY: [(0,)],
        words.GROUP_LARGE: [(pick(generator, 10_000, 20_000),)],
    }
    options: dict[str, Any] = {"more": {"ranks_per_node": usual}}
    return [
        *found,
        *usual_cases(n, generator, sum_over_ranks, shapes, **options),
    ]


def traffic() -> Traffic:
    """2(K - 1)M bytes between nodes."""
    from ringlab.grading.traffic import Traffic

    return Traffic(
        rules=(
            (own_words.TRAFFIC_CROSSING, _crossing),
            (own_words.TRAFFIC_BETWEEN, _one_of_each_node),
            (own_words.TRAFFIC_GROUPS, unequal_groups),
        )
    )


def _crossing(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    from ringlab.grading.cases import Problem
    from ringlab.grading.prices import crossing, once

    (tensor,), size = case.tensors, case.arguments[0][1]
    nodes = case.world_size // size
    n = case.world_size
    rounded = math.ceil(tensor.numel() / n) * n * tensor.element_size()
    most = 2 * (nodes - 1) * rounded
    crosses = [(crossing(operation, size), operation) for operation in once(records)]
    got = sum(nbytes for nbytes, _ in crosses)
    if got > most:
        worst, operation = max(crosses, key=lambda pair: pair[0])
        text = own_words.TOO_MUCH_CROSSES.format(
            got=math.ceil(got),
            most=most,
            nodes=nodes,
            size=size,
            what=operation.describe(),
            line=operation.line,
            cross=math.ceil(worst),
        )
        yield Problem(text, operation.rank, operation.line)


def _one_of_each_node(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    """Whoever meets ranks of other nodes in a collective meets none of its own there."""
    from ringlab.grading.cases import Problem
    from ringlab.grading.prices import collectives

    size = case.arguments[0][1]
    for record in records:
        node = record.rank // size
        for calls in collectives(record).values():
            for call in calls:
                own = [rank for rank in call.group if rank // size == node]
                if call.nbytes and 1 < len(own) < len(call.group):
                    text = own_words.TOGETHER_BETWEEN_NODES.format(
                        ranks=", ".join(map(str, own)),
                        node=node,
                        what=call.describe(),
                        line=call.line,
                    )
                    yield Problem(text, record.rank, call.line)


EXERCISE = Exercise(
    id="hierarchical_all_reduce",
    lesson=5,
    points=10,
    title="Nodes first",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 2, 1, (6, 8)),
    cases=cases,
    traffic=traffic,
    mistakes=(Mistake("a mean", mean_instead_of_sum),),
)
