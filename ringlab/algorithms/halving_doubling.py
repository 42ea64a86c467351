"""Halving-doubling (Rabenseifner): a reduce-scatter by halves, an all-gather by doubling.

Rabenseifner 2004, "Optimization of Collective Reduction Operations"; Thakur, Rabenseifner, Gropp
2005, "Optimization of Collective Communication Operations in MPICH", whose simple fold takes in
the ranks beyond a power of two.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._fold import fold
from ringlab.algorithms._parts import chunks_of, grouped
from ringlab.schedule import Schedule, Step, Transfer


def halving_doubling(world_size: int, chunk_sizes: Sequence[int] | None = None) -> Schedule:
    """An all-reduce in 2 log2 N steps; 2 floor(log2 N) + 2 where N is no power of two.

    With P the largest power of two up to N, the tensor is cut into P parts: ``chunk_sizes``
    (elements) must be P chunks or more. The largest messages go to the nearest rank: step k of the
    reduce-scatter sends M / 2**(k + 1) over a distance of 2**k, and the all-gather goes back the
    same way.
    """
    folded = fold(world_size)
    sizes = chunks_of(world_size, chunk_sizes, len(folded.active))
    active, rounds = folded.active, len(folded.active).bit_length() - 1
    halves = [_halves(len(sizes), len(active), k) for k in range(rounds)]

    def exchange(k: int, reduce: bool, phase: str) -> Step:
        """Each place sends the half that its partner keeps, or in the all-gather its own."""
        transfers = []
        for place, rank in enumerate(active):
            partner = place ^ (1 << k)
            keeper = partner if reduce else place
            transfers.append(Transfer(rank, active[partner], halves[k][keeper], reduce))
        return Step(tuple(transfers), phase)

    reduce_scatter = [exchange(k, True, "reduce-scatter") for k in range(rounds)]
    all_gather = [exchange(k, False, "all-gather") for k in reversed(range(rounds))]
    steps = folded.around([*reduce_scatter, *all_gather], tuple(range(len(sizes))))
    return Schedule("halving-doubling", world_size, sizes, steps)


def _halves(chunk_count: int, places: int, k: int) -> list[tuple[int, ...]]:
    """What each place keeps after step k: bit 0 of the place tells which half, bit 1 which of it.

    Places that keep the same share one tuple: for thousands of ranks that is most of the memory.
    """
    kept = grouped(chunk_count, 2 << k)
    bits = k + 1
    return [kept[_reversed_bits(place, bits)] for place in range(places)]


def _reversed_bits(number: int, bits: int) -> int:
    return sum(1 << (bits - 1 - bit) for bit in range(bits) if number >> bit & 1)
