import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """Filled in list order, sent from the last to the first."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    buckets: list[list[Tensor]] = []
    free = 0
    for tensor in tensors:
        if not tensor.numel():
            continue
        if tensor.nbytes > free or tensor.dtype != buckets[-1][0].dtype:
            buckets.append([])
            free = bucket_bytes
        buckets[-1].append(tensor)
        free -= tensor.nbytes
    while buckets:
        send(buckets.pop())


def send(bucket: list[Tensor]) -> None:
    flat = torch.cat([tensor.reshape(-1) for tensor in bucket])
    dist.all_reduce(flat)
    for tensor, part in zip(bucket, flat.split([tensor.numel() for tensor in bucket])):
        tensor.copy_(part.view_as(tensor))
