# Lesson 12, exercise run_worker: The worker.
# When it is written: ./course check run_worker work/run_worker.py
import torch
import torch.distributed as dist


def run_worker(rank: int, world_size: int) -> None:
    """Do one rank's part: a mean by all_reduce, a concatenation by all_gather, both asserted.

    Runs in a process of its own, started by `mp.spawn(run_worker, args=(world_size,), ...)` in a
    program that has set MASTER_ADDR and MASTER_PORT. The process group is made here, by env://,
    with NCCL where every rank can have a GPU of its own and gloo elsewhere, and no group is left
    behind.

    Args:
        rank: of this process, 0 to world_size - 1.
        world_size: number of ranks, at least 1.

    Raises:
        AssertionError: the mean of torch.full((1024,), rank + 1) over the ranks, or the gathered
            torch.full((128,), rank), is not what it should be on this rank.
    """
    # TODO: your code here.
    raise NotImplementedError("run_worker is not written yet.")
