import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """A tensor that is larger than a bucket goes by itself, without a copy."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    bucket: list[Tensor] = []
    for tensor in tensors:
        if tensor.numel() * tensor.element_size() >= bucket_bytes and tensor.numel():
            dist.all_reduce(tensor)
            continue
        if bucket and (
            tensor.dtype != bucket[0].dtype or size(bucket) + size([tensor]) > bucket_bytes
        ):
            send(bucket)
            bucket = []
        bucket.append(tensor)
    send(bucket)


def size(bucket: list[Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in bucket)


def send(bucket: list[Tensor]) -> None:
    if size(bucket) == 0:
        return
    flat = torch.cat([tensor.ravel() for tensor in bucket])
    dist.all_reduce(flat)
    for tensor, part in zip(bucket, flat.split([tensor.numel() for tensor in bucket])):
        tensor.copy_(part.reshape(tensor.shape))
