"""Ranks beyond a power of two: each gives its part to a neighbour and waits for the result.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from dataclasses import dataclass

from ringlab.algorithms._parts import check_world_size
from ringlab.schedule import Step, Transfer


@dataclass(frozen=True)
class Fold:
    """``active``: the 2**k ranks that do the work. ``pairs``: (who waits, who works for it)."""

    active: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]

    def around(self, steps: list[Step], whole: tuple[int, ...]) -> tuple[Step, ...]:
        """``steps`` of the active ranks, with the whole tensor folded in before, out after."""
        if not self.pairs:
            return tuple(steps)
        fold_in = Step(tuple(Transfer(a, b, whole, True) for a, b in self.pairs), "fold in")
        fold_out = Step(tuple(Transfer(b, a, whole, False) for a, b in self.pairs), "fold out")
        return (fold_in, *steps, fold_out)


def fold(world_size: int) -> Fold:
    """Of N = 2**k + r ranks the first 2r form pairs, of which the odd ones stay active.

    Raises ValueError without ranks.
    """
    check_world_size(world_size)
    surplus = world_size - (1 << (world_size.bit_length() - 1))
    pairs = tuple((rank, rank + 1) for rank in range(0, 2 * surplus, 2))
    return Fold((*range(1, 2 * surplus, 2), *range(2 * surplus, world_size)), pairs)
