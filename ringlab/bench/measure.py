"""Time functions on real ranks, side by side, on the machine that the reader sits at."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ringlab.preformatted import preformatted
from ringlab.trace.traffic import size
from ringlab.words import bench as words
from ringlab.world.run import NotWritten, run, try_run

WARM_UP = 2


@dataclass
class Measured:
    """Seconds of each function at each size: `samples[label][nbytes]`, one entry a repetition.

    A sample is the slowest rank's time from a barrier to the end of its call. The functions take
    turns, so that what disturbs the machine disturbs all of them.
    """

    world_size: int
    backend: str
    samples: dict[str, dict[int, list[float]]]

    def median(self, label: str, nbytes: int | None = None) -> float:
        """Seconds."""
        return statistics.median(self.samples[label][self._size(nbytes)])

    def ratio(self, slow: str, fast: str, nbytes: int | None = None) -> float:
        """How many times longer `slow` takes, median over median."""
        return self.median(slow, nbytes) / self.median(fast, nbytes)

    def spread(self, label: str, nbytes: int | None = None) -> tuple[float, float]:
        """Seconds between which the middle half of the samples lies."""
        samples = sorted(self.samples[label][self._size(nbytes)])
        quarter = len(samples) // 4
        return samples[quarter], samples[-1 - quarter]

    def _size(self, nbytes: int | None) -> int:
        sizes = list(next(iter(self.samples.values())))
        return sizes[-1] if nbytes is None else nbytes

    def text(self) -> str:
        """A row for each size, a column for each function."""
        labels = list(self.samples)
        rows = [(words.SIZE, *labels)]
        for nbytes in next(iter(self.samples.values())):
            cells = []
            for label in labels:
                low, high = self.spread(label, nbytes)
                cells.append(
                    words.TIME.format(
                        median=1e3 * self.median(label, nbytes), low=1e3 * low, high=1e3 * high
                    )
                )
            rows.append((size(nbytes), *cells))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        count = len(next(iter(next(iter(self.samples.values())).values())))
        lines = [
            words.MEASURED.format(world_size=self.world_size, backend=self.backend, count=count)
        ]
        for row in rows:
            lines.append(
                "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "measured", table=True)


def measure(
    functions: dict[str, Callable[..., Any]],
    world_size: int,
    nbytes: int | list[int],
    repeats: int = 7,
    timeout: float = 60.0,
    start: str = "auto",
) -> Measured | NotWritten:
    """Time each `fn(tensor)` on a float32 tensor of `nbytes` bytes, on `world_size` real ranks.

    Two rounds to warm up, then `repeats` rounds in which the functions take turns, each begun by a
    barrier. Nothing is recorded meanwhile. Raises what `run` raises; a function that raises
    NotImplementedError gives a NotWritten.
    """
    sizes = [nbytes] if isinstance(nbytes, int) else list(nbytes)
    options: dict[str, Any] = {"timeout": timeout, "start": start, "record": False}
    arguments = (functions, sizes, repeats)
    done = try_run(_take_turns, world_size, *arguments, **options)
    if isinstance(done, NotWritten):
        return done
    if done.failure is not None:
        done = run(_take_turns, world_size, *arguments, **options)
    samples: dict[str, dict[int, list[float]]] = {}
    for label in functions:
        samples[label] = {}
        for each in sizes:
            by_rank = [result[label][each] for result in done.results]
            samples[label][each] = [max(times) for times in zip(*by_rank, strict=True)]
    return Measured(world_size, done.backend, samples)


def _take_turns(
    functions: dict[str, Callable[..., Any]], sizes: list[int], repeats: int
) -> dict[str, dict[int, list[float]]]:
    import torch
    import torch.distributed as dist

    times: dict[str, dict[int, list[float]]] = {
        label: {each: [] for each in sizes} for label in functions
    }
    for each in sizes:
        tensor = torch.zeros(max(1, each // 4))
        for turn in range(WARM_UP + repeats):
            for label, function in functions.items():
                dist.barrier()
                if tensor.is_cuda:
                    torch.cuda.synchronize()
                begun = time.perf_counter()
                function(tensor)
                if tensor.is_cuda:
                    torch.cuda.synchronize()
                if turn >= WARM_UP:
                    times[label][each].append(time.perf_counter() - begun)
    return times
