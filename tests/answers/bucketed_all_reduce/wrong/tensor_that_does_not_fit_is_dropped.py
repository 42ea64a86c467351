# layer: behaviour
# says: Tensor 1 of the list
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    bucket: list[Tensor] = []
    size = 0
    for tensor in tensors:
        if bucket and (size + tensor.nbytes > bucket_bytes or tensor.dtype != bucket[0].dtype):
            send(bucket)
            bucket, size = [], 0
        else:
            bucket.append(tensor)
            size += tensor.nbytes
    send(bucket)


def send(bucket: list[Tensor]) -> None:
    if not bucket:
        return
    flat = torch.cat([tensor.view(-1) for tensor in bucket])
    dist.all_reduce(flat)
    for tensor, part in zip(bucket, flat.split([each.numel() for each in bucket])):
        tensor.copy_(part.view_as(tensor))
