# layer: traffic
# says: Let go of one bucket
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """Posts every bucket before it waits for the first."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    plan: list[list[Tensor]] = []
    size = 0
    for tensor in tensors:
        fits = size + tensor.nbytes <= bucket_bytes
        if not plan or not fits or tensor.dtype != plan[-1][0].dtype:
            plan.append([])
            size = 0
        plan[-1].append(tensor)
        size += tensor.nbytes
    flats = [torch.cat([tensor.view(-1) for tensor in bucket]) for bucket in plan]
    works = [dist.all_reduce(flat, async_op=True) for flat in flats]
    for bucket, flat, work in zip(plan, flats, works):
        work.wait()
        for tensor, part in zip(bucket, flat.split([each.numel() for each in bucket])):
            tensor.copy_(part.view_as(tensor))
