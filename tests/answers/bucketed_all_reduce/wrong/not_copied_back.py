# layer: behaviour
# says: Copy it back, tensor by tensor
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
            dist.all_reduce(torch.cat([each.view(-1) for each in bucket]))
            bucket, size = [], 0
        bucket.append(tensor)
        size += tensor.nbytes
    if bucket:
        dist.all_reduce(torch.cat([each.view(-1) for each in bucket]))
