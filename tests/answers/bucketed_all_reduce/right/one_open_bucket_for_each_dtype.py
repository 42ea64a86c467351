import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    opened: dict[torch.dtype, list[Tensor]] = {}
    for tensor in tensors:
        if not tensor.numel():
            continue
        bucket = opened.setdefault(tensor.dtype, [])
        if bucket and sum(each.nbytes for each in bucket) + tensor.nbytes > bucket_bytes:
            reduce_bucket(bucket)
            bucket.clear()
        bucket.append(tensor)
    for bucket in opened.values():
        reduce_bucket(bucket)


def reduce_bucket(bucket: list[Tensor]) -> None:
    flat = torch.cat([tensor.view(-1) for tensor in bucket])
    dist.all_reduce(flat)
    for tensor in bucket:
        tensor.copy_(flat[: tensor.numel()].view_as(tensor))
        flat = flat[tensor.numel() :]
