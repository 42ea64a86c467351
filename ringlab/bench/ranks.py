"""Where an experiment runs: on ranks of its own, or on those that torchrun started."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from ringlab.words import bench as words
from ringlab.world.client import Ranks, WorldError
from ringlab.world.explain import explain
from ringlab.world.run import results_of
from ringlab.world.travel import by_value


class AnswerMissing(Exception):
    """A function that was to be timed raises NotImplementedError."""


class Ground(Protocol):
    """Ranks that stay while an experiment calls one function after the other on all of them."""

    world_size: int
    backend: str
    speaks: bool
    """Whether this process is the one that prints and writes files."""

    def each(self, fn: Callable[..., Any], *args: Any, timeout: float = 120.0) -> list[Any]:
        """What ``fn(*args)`` gives on each rank, by rank."""
        ...


class OwnRanks:
    """Ranks started for the experiment, on this machine."""

    speaks = True

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self.world_size = ranks.world_size
        self.backend = ranks.backend

    def each(self, fn: Callable[..., Any], *args: Any, timeout: float = 120.0) -> list[Any]:
        """Raises WorldError, rank by rank, if it fails or takes longer than ``timeout`` seconds."""
        name = fn.__name__
        payload = by_value((fn, args, {}), fn)
        request = {"do": "ringlab.world.calls:call", "name": name, "record": False}
        turn = self._ranks.turn([(request, payload)] * self.world_size, timeout)
        if turn.ended != "returned":
            failure = explain(turn, name, timeout)
            raise (AnswerMissing if failure.is_unwritten else WorldError)(failure.text())
        return results_of(turn, name)


class TorchrunRanks:
    """This process is one of the ranks; every rank runs the same experiment."""

    def __init__(self) -> None:
        import torch
        import torch.distributed as dist

        local, on_node = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
        gpus = torch.cuda.device_count() if dist.is_nccl_available() else 0
        self.backend = "nccl" if gpus >= on_node else "gloo"
        if self.backend == "nccl":
            torch.cuda.set_device(local)
        dist.init_process_group(self.backend)
        self.world_size = dist.get_world_size()
        self.speaks = dist.get_rank() == 0

    def each(self, fn: Callable[..., Any], *args: Any, timeout: float = 120.0) -> list[Any]:
        """Raises what ``fn`` raises here; torchrun then ends the other ranks."""
        import torch.distributed as dist

        results: list[Any] = [None] * self.world_size
        dist.all_gather_object(results, fn(*args))
        return results


def under_torchrun() -> bool:
    """Whether torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ and "RANK" in os.environ


@contextlib.contextmanager
def ground(world_size: int = 4) -> Iterator[Ground]:
    """The ranks of torchrun where it started this process, else ``world_size`` ranks of our own."""
    if not under_torchrun():
        with Ranks(world_size) as ranks:
            yield OwnRanks(ranks)
        return
    import torch.distributed as dist

    try:
        yield TorchrunRanks()
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


Progress = Callable[[int, int, str], None]
"""Told the number of the point, how many there are, and its name."""


def progress_for(place: Ground) -> Progress:
    """In a terminal one line that is written over, in a notebook an output that goes away."""
    import sys

    if not place.speaks:
        return lambda number, count, name: None
    if "ipykernel" in sys.modules:
        return _in_notebook
    return _in_terminal


def _in_notebook(number: int, count: int, name: str) -> None:
    from IPython.display import clear_output

    clear_output(wait=number <= count)  # type: ignore[no-untyped-call]
    if number <= count:
        print(words.POINT.format(number=number, count=count, name=name))


def _in_terminal(number: int, count: int, name: str) -> None:
    import sys

    if number <= count:
        line = words.POINT.format(number=number, count=count, name=name)
        end = "" if sys.stderr.isatty() else "\n"
        print(("\r\x1b[K" if not end else "") + line, end=end, file=sys.stderr, flush=True)
    elif sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
