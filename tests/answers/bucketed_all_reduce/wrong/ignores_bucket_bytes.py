# layer: traffic
# says: bucket_bytes is 16
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [each for each in tensors if each.dtype == dtype]
        flat = torch.cat([each.view(-1) for each in group])
        dist.all_reduce(flat)
        for each, part in zip(group, flat.split([each.numel() for each in group])):
            each.copy_(part.view_as(each))
