# layer: traffic
# says: One call for each dtype is asked for, in that dtype
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """torch.cat promotes mixed dtypes to one that holds them all, more or less."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if not tensors:
        return
    flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
    dist.all_reduce(flat)
    for tensor, part in zip(tensors, flat.split([each.numel() for each in tensors])):
        tensor.copy_(part.view_as(tensor))
