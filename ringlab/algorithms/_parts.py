"""How a tensor is cut: chunks, and the parts of several chunks that travel together."""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms.ring import CHUNK_ELEMENTS
from ringlab.schedule import split_evenly
from ringlab.words import algorithms as words
from ringlab.words import schedule as schedule_words


def chunks_of(
    world_size: int, chunk_sizes: Sequence[int] | None, parts: int, *, of_one: int | None = None
) -> tuple[int, ...]:
    """``chunk_sizes``, or ``parts`` chunks of a tensor with 1 MiB of float32 for each rank.

    ``of_one`` is the size of each chunk where another tensor than that is meant.
    Raises ValueError without ranks, or if there are fewer chunks than parts.
    """
    check_world_size(world_size)
    if chunk_sizes is None:
        return (
            split_evenly(CHUNK_ELEMENTS * world_size, parts)
            if of_one is None
            else ((of_one,) * parts)
        )
    if len(chunk_sizes) < parts:
        raise ValueError(
            words.TOO_FEW_CHUNKS.format(world_size=world_size, parts=parts, count=len(chunk_sizes))
        )
    return tuple(chunk_sizes)


def grouped(chunk_count: int, parts: int) -> tuple[tuple[int, ...], ...]:
    """The chunks of each part, in order: chunk c belongs to part c * parts // chunk_count."""
    starts = [-(-part * chunk_count // parts) for part in range(parts + 1)]
    return tuple(tuple(range(a, b)) for a, b in zip(starts, starts[1:], strict=False))


def check_world_size(world_size: int) -> None:
    """Raises ValueError if there are no ranks."""
    if world_size < 1:
        raise ValueError(schedule_words.BAD_WORLD_SIZE.format(world_size=world_size))


def check_root(root: int, world_size: int) -> None:
    """Raises ValueError if there is no such rank."""
    if not 0 <= root < world_size:
        raise ValueError(words.NO_SUCH_ROOT.format(last=world_size - 1, root=root))
