"""Parts that go round a ring of some of the ranks, several rings at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringlab.schedule import Step, Transfer


@dataclass(frozen=True)
class RingOf:
    """A ring of ``members``, in order, over as many ``parts`` of chunks."""

    members: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]

    def passing(self, first: int, reduce: bool) -> tuple[Transfer, ...]:
        """Each member i sends part i + first to the next one."""
        size = len(self.members)
        return tuple(
            Transfer(rank, self.members[(i + 1) % size], self.parts[(i + first) % size], reduce)
            for i, rank in enumerate(self.members)
        )


def _together(rings: Sequence[RingOf], first: int, reduce: bool, phase: str) -> Step:
    return Step(tuple(t for ring in rings for t in ring.passing(first, reduce)), phase)


def reduce_scatter_rounds(rings: Sequence[RingOf], phase: str) -> list[Step]:
    """Member i of each ring ends with part i complete. All rings are of the same length."""
    return [_together(rings, -1 - s, True, phase) for s in range(len(rings[0].members) - 1)]


def all_gather_rounds(rings: Sequence[RingOf], phase: str) -> list[Step]:
    """Member i of each ring starts with part i, and all end with every part."""
    return [_together(rings, -s, False, phase) for s in range(len(rings[0].members) - 1)]
