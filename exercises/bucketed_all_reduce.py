# Lesson 06, exercise bucketed_all_reduce: Buckets.
# When it is written: ./course check bucketed_all_reduce work/bucketed_all_reduce.py
from collections.abc import Iterator

import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """Sum every tensor of the list over all ranks, in place, one all_reduce a bucket.

    Buckets are filled in list order, one dtype a bucket.

    Args:
        tensors: contiguous, the same shapes and dtypes in the same order on every rank. Dtypes may
            be mixed, tensors may be empty, and so may the list.
        bucket_bytes: most bytes in a bucket; a single tensor that is larger has one for itself.

    Raises:
        ValueError: bucket_bytes is not positive, or the tensors are on different devices; raised
            before anything is sent.

    Budget of each rank: no more buckets than closing one when the next tensor does not fit, and at
    each change of dtype, needs; memory of two buckets, or twice the largest tensor.
    """
    # TODO: your code here.
    raise NotImplementedError("bucketed_all_reduce is not written yet.")
