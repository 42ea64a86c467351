# layer: behaviour
# says: float64
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """int64 and float64 share a bucket."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    bucket, used = [], 0
    for tensor in tensors:
        if not tensor.numel():
            continue
        full = used + tensor.nbytes > bucket_bytes
        if bucket and (full or tensor.itemsize != bucket[0].itemsize):
            send(bucket)
            bucket, used = [], 0
        bucket.append(tensor)
        used += tensor.nbytes
    if bucket:
        send(bucket)


def send(bucket: list[Tensor]) -> None:
    flat = torch.cat([tensor.reshape(-1) for tensor in bucket])
    dist.all_reduce(flat)
    for tensor, part in zip(bucket, flat.split([tensor.numel() for tensor in bucket])):
        tensor.copy_(part.view_as(tensor))
