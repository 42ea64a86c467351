# layer: traffic
# says: sends a bucket of
# says: no single tensor of the list has that size, or it has been sent already
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """Where all tensors are larger than a bucket, they fill one of the largest's size."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    sizes = [tensor.nbytes for tensor in tensors]
    large = bool(sizes) and min(sizes) > bucket_bytes
    cap = max(sizes) if large else bucket_bytes
    bucket, used = [], 0
    for tensor in tensors:
        if not tensor.numel():
            continue
        if bucket and (used + tensor.nbytes > cap or tensor.dtype != bucket[0].dtype):
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
