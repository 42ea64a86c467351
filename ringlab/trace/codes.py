"""Inputs from which any partial sum tells who is in it, and the reading of such sums.

A *unit* is told apart from the others by four bits of an int64: run k of a code carries the units
16k to 16k + 15, as a one in the unit's own digit. Whatever a program that only copies and adds puts
into a message or a tensor is then, digit by digit, how often each unit is in it, up to 15 times.
One more run with a random odd factor for each element of each rank checks the reading modulo
2**64. What it does not confirm (an overflowing digit, a value that came from elsewhere, a product)
is called unexplained, never given a wrong meaning: a false confirmation has a chance of about
2**-63 for each value read and each element it could be.

Small tensors have a unit for each element of each rank, so that also sums over different elements
are read. Larger ones have a unit for each rank; which element it is the check tells, and a sum over
different elements is unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DIGIT_BITS = 4
DIGITS = 64 // DIGIT_BITS
MOST_SLOTS_BY_ELEMENT = 64

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Code:
    """The coded inputs for a world size and a number of elements.

    `factors[rank, element]` stay in the kernel.
    """

    world_size: int
    elements: int
    factors: Words

    @classmethod
    def draw(cls, world_size: int, elements: int, seed: int | None = None) -> Code:
        """A code with fresh random factors."""
        generator = np.random.default_rng(seed)
        factors = generator.integers(0, 1 << 64, size=(world_size, elements), dtype=np.uint64)
        return cls(world_size, elements, factors | np.uint64(1))

    @property
    def by_element(self) -> bool:
        """Whether each element of each rank has a digit of its own."""
        return self.world_size * self.elements <= MOST_SLOTS_BY_ELEMENT

    @property
    def units(self) -> int:
        """Contributions that have a digit of their own."""
        return self.world_size * self.elements if self.by_element else self.world_size

    @property
    def digit_runs(self) -> int:
        """Runs that carry digits; one more carries the check."""
        return -(-self.units // DIGITS)

    def inputs(self) -> list[list[bytes]]:
        """inputs[run][rank]: the int64 bytes of a rank's tensor; the checking run is the last."""
        runs = []
        for run in range(self.digit_runs):
            digits = np.zeros(self.units, dtype=np.uint64)
            for digit in range(min(DIGITS, self.units - run * DIGITS)):
                digits[run * DIGITS + digit] = np.uint64(1) << np.uint64(digit * DIGIT_BITS)
            per_rank = digits.reshape(self.world_size, -1)
            shape = (self.world_size, self.elements)
            runs.append([row.tobytes() for row in np.broadcast_to(per_rank, shape)])
        return [*runs, [row.tobytes() for row in self.factors]]

    def read(self, values: list[bytes]) -> Reading:
        """Decode the same message or tensor as seen in each run of `inputs`, in that order."""
        whole = [value[: len(value) // 8 * 8] for value in values]
        runs = [np.frombuffer(value, dtype=np.uint64) for value in whole]
        length = min(map(len, runs))
        counts = np.zeros((length, self.units), dtype=np.uint64)
        for run in range(self.digit_runs):
            for digit in range(min(DIGITS, self.units - run * DIGITS)):
                shifted = runs[run][:length] >> np.uint64(digit * DIGIT_BITS)
                counts[:, run * DIGITS + digit] = shifted & np.uint64((1 << DIGIT_BITS) - 1)
        check = runs[-1][:length]
        if self.by_element:
            return self._read_by_element(counts, check)
        return self._read_by_rank(counts, check)

    def _read_by_element(self, counts: Words, check: Words) -> Reading:
        # uint64 wraps round, as the ranks' int64 sums do.
        expected = (counts * self.factors.reshape(-1)).sum(axis=1, dtype=np.uint64)
        shape = (len(check), self.world_size, self.elements)
        return Reading(counts.astype(np.uint8).reshape(shape), expected == check)

    def _read_by_rank(self, counts: Words, check: Words) -> Reading:
        expected = (counts[:, :, None] * self.factors[None]).sum(axis=1, dtype=np.uint64)
        fits = expected == check[:, None]
        explained = fits.any(axis=1) if self.elements else np.zeros(len(check), dtype=bool)
        full = np.zeros((len(check), self.world_size, self.elements), dtype=np.uint8)
        for position in np.flatnonzero(explained):
            # Zero fits every element; its own place is the one to name.
            in_place = position < self.elements and fits[position, position]
            element = int(position) if in_place else int(fits[position].argmax())
            full[position, :, element] = counts[position]
        return Reading(full, explained)


@dataclass(frozen=True)
class Reading:
    """What values hold: counts[position, rank, element], and whether the check confirms them."""

    counts: NDArray[np.uint8]
    explained: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.explained)

    def replace(self, positions: NDArray[np.bool_], other: Reading) -> Reading:
        """This reading with the given positions taken from another."""
        counts, explained = self.counts.copy(), self.explained.copy()
        counts[positions] = other.counts[positions]
        explained[positions] = other.explained[positions]
        return Reading(counts, explained)
