"""Whether what a rank knows in the end came to it by messages that were recorded."""

from __future__ import annotations

import numpy as np

from ringlab.trace.playback import Decoded


def unseen_arrival(decoded: Decoded) -> tuple[int, int, int] | None:
    """The first (rank, other rank, element) that a rank holds and no recorded message brought.

    None where all is explained, and where something but sends and receives was recorded.
    """
    if any(o.name not in ("send", "recv") for r in decoded.records for o in r.operations):
        return None
    shape = (decoded.code.world_size, decoded.code.elements)
    brought = np.zeros((decoded.code.world_size, *shape), dtype=bool)
    for message, reading in zip(decoded.messages, decoded.carried, strict=True):
        if len(reading):
            brought[message.dst] |= reading.counts.any(axis=0)
    for rank, history in enumerate(decoded.held):
        brought[rank, rank] = True
        held = history[-1][2].counts
        if not len(held):
            continue
        unseen = np.argwhere(held.any(axis=0) & ~brought[rank])
        if len(unseen):
            return rank, int(unseen[0][0]), int(unseen[0][1])
    return None
