# Lesson 01, exercise shift_right: One to the right.
# When it is written: ./course check shift_right work/shift_right.py
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    """Return what the left neighbour has; every rank passes its own tensor to the right.

    The left neighbour of rank r is rank r - 1; that of rank 0 is the last rank. Only send, recv,
    isend, irecv and batch_isend_irecv may be used.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. It is not changed.

    Returns:
        A new tensor of the same shape and dtype. With one rank a copy of `tensor`.

    Budget of each rank: the bytes of `tensor` sent once; nothing with one rank.
    """
    # TODO: your code here.
    raise NotImplementedError("shift_right is not written yet.")
