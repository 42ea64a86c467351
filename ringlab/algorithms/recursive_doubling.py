"""Recursive doubling: each pair exchanges all it has, at twice the distance each time.

Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms._fold import fold
from ringlab.algorithms._parts import chunks_of
from ringlab.schedule import Schedule, Step, Transfer


def recursive_doubling(world_size: int, chunk_sizes: Sequence[int] | None = None) -> Schedule:
    """An all-reduce in log2 N steps; floor(log2 N) + 2 where N is no power of two.

    A message carries the whole tensor: one chunk, unless ``chunk_sizes`` (elements) cuts it up.
    """
    sizes = chunks_of(world_size, chunk_sizes, 1)
    whole, folded = tuple(range(len(sizes))), fold(world_size)
    active = folded.active

    def exchange(distance: int) -> Step:
        return Step(
            tuple(
                Transfer(rank, active[place ^ distance], whole, True)
                for place, rank in enumerate(active)
            ),
            "exchange",
        )

    steps = [exchange(1 << k) for k in range(len(active).bit_length() - 1)]
    return Schedule("recursive doubling", world_size, sizes, folded.around(steps, whole))
