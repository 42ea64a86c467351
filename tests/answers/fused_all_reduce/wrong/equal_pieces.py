# layer: behaviour
# says: line 17
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """Cuts the fused tensor into pieces of one size."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [each for each in tensors if each.dtype == dtype]
        flat = torch.cat([each.reshape(-1) for each in group])
        dist.all_reduce(flat)
        for each, part in zip(group, flat.chunk(len(group))):
            each.copy_(part.view_as(each))
