from collections import deque

import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """While one bucket travels the next is filled."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    under_way: deque = deque()

    def finish() -> None:
        bucket, flat, work = under_way.popleft()
        work.wait()
        sizes = [tensor.numel() for tensor in bucket]
        for tensor, part in zip(bucket, flat.split(sizes)):
            tensor.copy_(part.view_as(tensor))

    for bucket in buckets(tensors, bucket_bytes):
        if len(under_way) == 2:
            finish()
        flat = torch.cat([tensor.flatten() for tensor in bucket])
        under_way.append((bucket, flat, dist.all_reduce(flat, async_op=True)))
        del flat
    while under_way:
        finish()


def buckets(tensors: list[Tensor], bucket_bytes: int) -> list[list[Tensor]]:
    plan: list[list[Tensor]] = []
    free = 0
    for tensor in filter(Tensor.numel, tensors):
        if not plan or tensor.nbytes > free or plan[-1][0].dtype != tensor.dtype:
            plan.append([])
            free = bucket_bytes
        plan[-1].append(tensor)
        free -= tensor.nbytes
    return plan
