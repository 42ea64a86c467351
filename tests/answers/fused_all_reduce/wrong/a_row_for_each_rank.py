# layer: traffic
# says: elements into the all_reduce at line
# says: padding included
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """An all_reduce that stands for an all_gather: world size times the bytes."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [tensor for tensor in tensors if tensor.dtype == dtype]
        flat = torch.cat([tensor.reshape(-1) for tensor in group])
        rows = flat.new_zeros(dist.get_world_size(), flat.numel())
        rows[dist.get_rank()] = flat
        dist.all_reduce(rows)
        flat = rows.sum(0, dtype=dtype)
        for tensor, part in zip(group, flat.split([tensor.numel() for tensor in group])):
            tensor.copy_(part.view_as(tensor))
