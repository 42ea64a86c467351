"""The ring: every rank talks to its two neighbours only.

Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of workstations".
"""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.schedule import Schedule, Step, Transfer
from ringlab.words import schedule as words

CHUNK_ELEMENTS = 1 << 18
"""1 MiB of float32, so that the bytes in pictures are easy to read."""


def ring(
    world_size: int, chunk_sizes: Sequence[int] | None = None, *, first_chunk: int = 0
) -> Schedule:
    """An all-reduce of ``world_size`` chunks in 2(N-1) steps.

    ``chunk_sizes`` are elements, one for each rank, uneven or 0 if you like.

    In step s of the reduce-scatter rank r sends chunk (r + first_chunk - s) mod N to rank r + 1,
    which adds it. Rank r then holds chunk (r + first_chunk + 1) mod N complete, and in step s of
    the all-gather it sends chunk (r + first_chunk + 1 - s) mod N, which overwrites.
    """
    sizes = (CHUNK_ELEMENTS,) * world_size if chunk_sizes is None else tuple(chunk_sizes)
    if len(sizes) != world_size:
        raise ValueError(words.CHUNK_COUNT.format(world_size=world_size, count=len(sizes)))

    def passing(first: int, reduce: bool) -> tuple[Transfer, ...]:
        return tuple(
            Transfer(rank, (rank + 1) % world_size, ((rank + first) % world_size,), reduce)
            for rank in range(world_size)
        )

    rounds = range(world_size - 1)
    reduce_scatter = [Step(passing(first_chunk - s, True), "reduce-scatter") for s in rounds]
    all_gather = [Step(passing(first_chunk + 1 - s, False), "all-gather") for s in rounds]
    return Schedule("ring", world_size, sizes, (*reduce_scatter, *all_gather))
