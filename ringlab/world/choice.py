"""Which backend carries the messages and how the ranks are started."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ringlab.words import world as words

STARTS = ("auto", "fork", "spawn")
BACKENDS = ("auto", "gloo", "nccl")


@dataclass(frozen=True)
class Choice:
    """How one run is made: `start` is "fork" or "spawn", `backend` is "gloo" or "nccl"."""

    start: str
    backend: str


def choose(
    world_size: int,
    *,
    gpus: int,
    nccl: bool,
    start: str = "auto",
    backend: str = "auto",
    platform: str = sys.platform,
) -> Choice:
    """NCCL when every rank can have a GPU of its own, else gloo; fork where it is safe, else spawn.

    Fork means: from the host process, which has torch loaded, one thread and no CUDA context.
    A forked process can't use CUDA after its parent did, and forking is not safe on macOS.
    Raises ValueError for a wish that can't be met, saying why.
    """
    if start not in STARTS:
        raise ValueError(words.BAD_START.format(start=start, known=", ".join(STARTS)))
    if backend not in BACKENDS:
        raise ValueError(words.BAD_BACKEND.format(backend=backend, known=", ".join(BACKENDS)))
    enough = nccl and world_size <= gpus
    if backend == "nccl" and not enough:
        reason = words.NCCL_MISSING if not nccl else words.NCCL_GPUS
        raise ValueError(reason.format(ranks=world_size, gpus=gpus))
    if backend == "auto":
        backend = "nccl" if enough else "gloo"
    fork_is_safe = platform.startswith("linux") and backend == "gloo"
    if start == "fork" and not fork_is_safe:
        raise ValueError(words.NO_FORK.format(backend=backend, platform=platform))
    if start == "auto":
        start = "fork" if fork_is_safe else "spawn"
    return Choice(start, backend)
