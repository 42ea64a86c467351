"""Everyone through one rank: it collects, adds, and sends the sum back."""

from __future__ import annotations

from collections.abc import Sequence

from ringlab.algorithms.ring import CHUNK_ELEMENTS
from ringlab.schedule import Schedule, Step, Transfer


def central(
    world_size: int, chunk_sizes: Sequence[int] | None = None, *, root: int = 0
) -> Schedule:
    """An all-reduce in 2(N-1) steps of one message each, with ``root`` at one end of every message.

    A message carries the whole tensor: one chunk, unless ``chunk_sizes`` (elements) cuts it up.
    One after another, because the root has one link: messages at the same time would only share it.
    """
    sizes = (CHUNK_ELEMENTS * world_size,) if chunk_sizes is None else tuple(chunk_sizes)
    whole = tuple(range(len(sizes)))
    others = [(root + distance) % world_size for distance in range(1, world_size)]
    collect = [Step((Transfer(rank, root, whole, True),), "collect") for rank in others]
    send_back = [Step((Transfer(root, rank, whole, False),), "send back") for rank in others]
    return Schedule("central", world_size, sizes, (*collect, *send_back), root=root)
