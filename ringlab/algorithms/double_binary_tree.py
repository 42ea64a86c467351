"""The double binary tree: each of two trees carries one half of the tensor, in blocks.

Sanders, Speck, Traeff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction and scan".
NCCL has used such trees across nodes since 2.4.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._parts import chunks_of
from ringlab.algorithms._two_trees import TreeEdge, two_trees
from ringlab.schedule import Schedule, Step, Transfer
from ringlab.words import algorithms as words


def double_binary_tree(
    world_size: int, chunk_sizes: Sequence[int] | None = None, *, blocks: int = 2
) -> Schedule:
    """An all-reduce with ``blocks`` messages in a row over each edge of the two trees.

    A chunk is a block: 2 * ``blocks`` of them, or as many as there are ``chunk_sizes`` (elements).
    The first half, with the middle one, goes over the first tree. A reduce to both roots comes
    first, then a broadcast from both, which is the reduce backwards: 2(D + 2(blocks - 1)) steps
    for N > 2, where one block is down both trees after D <= 2 floor(log2 N) steps.
    """
    if blocks < 1:
        raise ValueError(words.BAD_BLOCKS.format(blocks=blocks))
    sizes = chunks_of(world_size, chunk_sizes, 1 if chunk_sizes is not None else 2 * blocks)
    middle = (len(sizes) + 1) // 2
    of_tree = (range(middle), range(middle, len(sizes)))
    trees = two_trees(world_size)
    length = trees.depth + trees.period * (middle - 1) if trees.edges else 0
    busy: list[list[tuple[TreeEdge, int]]] = [[] for _ in range(length)]
    for edge in trees.edges:
        for block, chunk in enumerate(of_tree[edge.tree]):
            busy[edge.start + trees.period * block].append((edge, chunk))
    busy = [now for now in busy if now]  # a second tree without blocks leaves its steps empty
    down = [tuple(Transfer(e.parent, e.child, (c,), False) for e, c in now) for now in busy]
    up = [tuple(Transfer(e.child, e.parent, (c,), True) for e, c in now) for now in busy]
    steps = [Step(transfers, "reduce") for transfers in reversed(up)]
    steps += [Step(transfers, "broadcast") for transfers in down]
    return Schedule("double binary tree", world_size, sizes, tuple(steps))
