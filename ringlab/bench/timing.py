"""What every rank does to time several functions side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

WARM_UP = 2


def device() -> torch.device:
    """Where this rank's tensors belong: its GPU under NCCL, else the CPU."""
    import torch
    import torch.distributed as dist

    if dist.get_backend() == "nccl":
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


def take_turns(
    actions: Mapping[str, Callable[[], Any]], repeats: int, warm_up: int = WARM_UP
) -> dict[str, list[float]]:
    """Seconds of each action on this rank, from a barrier to its end, after rounds to warm up.

    The actions take turns, so that what disturbs the machine disturbs all of them.
    """
    import torch.distributed as dist

    seconds: dict[str, list[float]] = {label: [] for label in actions}
    for turn in range(warm_up + repeats):
        for label, action in actions.items():
            dist.barrier()
            _finish()
            begun = time.perf_counter()
            action()
            _finish()
            if turn >= warm_up:
                seconds[label].append(time.perf_counter() - begun)
    return seconds


def _finish() -> None:
    """A GPU works on after the call has returned."""
    if device().type == "cuda":
        import torch

        torch.cuda.synchronize()


def slowest(by_rank: list[dict[str, list[float]]]) -> dict[str, list[float]]:
    """Each repetition takes as long as its slowest rank."""
    return {
        label: [max(times) for times in zip(*(rank[label] for rank in by_rank), strict=True)]
        for label in by_rank[0]
    }


def peak_memory() -> int:
    """The most bytes that this process has had in memory. Pages shared by ranks count in each."""
    import resource
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
