"""One rank has a piece for each rank and hands them out, down a binomial tree.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._binomial import Edge, binomial_rounds
from ringlab.algorithms._parts import check_root, chunks_of, grouped
from ringlab.algorithms.ring import CHUNK_ELEMENTS
from ringlab.schedule import Schedule, Step, Transfer


def scatter(
    world_size: int, chunk_sizes: Sequence[int] | None = None, *, root: int = 0
) -> Schedule:
    """A scatter from ``root`` in ceil(log2 N) steps.

    ``chunk_sizes`` are elements, a multiple of N of them: the first N-th is rank 0's piece. A
    message carries the pieces of all ranks below the receiver, so the root sends every piece but
    its own once, as it would without a tree, in fewer messages.
    """
    sizes = chunks_of(world_size, chunk_sizes, world_size, of_one=CHUNK_ELEMENTS)
    check_root(root, world_size)
    pieces = grouped(len(sizes), world_size)
    steps = tuple(
        Step(
            tuple(Transfer(e.parent, e.child, pieces_below(e, pieces), False) for e in edges),
            "scatter",
        )
        for edges in binomial_rounds(world_size, root)
    )
    return Schedule("binomial", world_size, sizes, steps, "scatter", root)


def pieces_below(edge: Edge, pieces: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The chunks of all ranks in the subtree of an edge's child, in order."""
    return tuple(chunk for rank in sorted(edge.below) for chunk in pieces[rank])
