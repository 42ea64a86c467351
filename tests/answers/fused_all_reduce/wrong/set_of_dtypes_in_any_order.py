# layer: behaviour
# says: differ
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """Every rank goes through the dtypes in an order of its own, as with a set."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    dtypes = sorted({tensor.dtype for tensor in tensors}, key=str, reverse=dist.get_rank() % 2 == 1)
    for dtype in dtypes:
        group = [each for each in tensors if each.dtype == dtype]
        flat = torch.cat([each.reshape(-1) for each in group])
        dist.all_reduce(flat)
        for each, part in zip(group, flat.split([each.numel() for each in group])):
            each.copy_(part.view_as(each))
