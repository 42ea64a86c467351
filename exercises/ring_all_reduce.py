# Lesson 04, exercise ring_all_reduce: The ring.
# When it is written: ./course check ring_all_reduce work/ring_all_reduce.py
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    """Sum `tensor` over all ranks, in place, by passing chunks round a ring.

    Afterwards every rank's `tensor` holds the sum of what the ranks had, as after
    `dist.all_reduce(tensor)`. Only send, recv, isend, irecv and batch_isend_irecv may be used,
    and a rank sends only to rank + 1, round the ring.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. Any shape: the number n of
            elements need not divide by the world size N, and may be smaller than it or 0.

    Budget of each rank: at most 2(N - 1) messages and 2(N - 1) * ceil(n / N) elements sent,
    and at most two chunks of memory beside the tensor.
    """
    # TODO: your code here.
    raise NotImplementedError("ring_all_reduce is not written yet.")
