# layer: behaviour
# says: not contiguous
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """What has three dimensions is written into a reshaped copy."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [tensor for tensor in tensors if tensor.dtype == dtype]
        flat = torch.cat([tensor.reshape(-1) for tensor in group])
        dist.all_reduce(flat)
        for tensor, part in zip(group, flat.split([tensor.numel() for tensor in group])):
            if tensor.dim() > 2:
                tensor.reshape(-1).copy_(part)
            else:
                tensor.copy_(part.view_as(tensor))
