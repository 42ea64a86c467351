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
    ### BEGIN SOLUTION
    if bucket_bytes <= 0:
        raise ValueError(f"bucket_bytes={bucket_bytes}: a bucket has at least one byte")
    devices = {tensor.device for tensor in tensors}
    if len(devices) > 1:
        raise ValueError(f"the tensors are on different devices: {sorted(map(str, devices))}")

    def buckets() -> Iterator[list[Tensor]]:
        bucket: list[Tensor] = []
        size = 0
        for tensor in tensors:
            if tensor.numel() == 0:
                continue
            fits = size + tensor.nbytes <= bucket_bytes
            if bucket and not (fits and tensor.dtype == bucket[0].dtype):
                yield bucket
                bucket, size = [], 0
            bucket.append(tensor)
            size += tensor.nbytes
        if bucket:
            yield bucket

    for bucket in buckets():
        fused = torch.cat([tensor.view(-1) for tensor in bucket])
        dist.all_reduce(fused)
        parts = fused.split([tensor.numel() for tensor in bucket])
        for tensor, part in zip(bucket, parts, strict=True):
            tensor.copy_(part.view_as(tensor))
    ### END SOLUTION
