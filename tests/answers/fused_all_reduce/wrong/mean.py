# layer: behaviour
# says: It is the mean over the ranks
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [each for each in tensors if each.dtype == dtype]
        flat = torch.cat([each.reshape(-1) for each in group])
        dist.all_reduce(flat)
        if dtype.is_floating_point:
            flat /= dist.get_world_size()
        for each, part in zip(group, flat.split([each.numel() for each in group])):
            each.copy_(part.view_as(each))
