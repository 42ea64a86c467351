# Lesson 01, exercise average_gradient: The mean gradient.
# When it is written: ./course check average_gradient work/average_gradient.py
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    """Replace `gradient` by its mean over all ranks, in place.

    Args:
        gradient: contiguous, the same shape and floating dtype on every rank. Any shape.

    Budget of each rank: one all_reduce, or one reduce_scatter and one all_gather (padded where
    the number of elements does not divide by the world size; at most to a multiple of 64 for each
    rank).
    """
    # TODO: your code here.
    raise NotImplementedError("average_gradient is not written yet.")
