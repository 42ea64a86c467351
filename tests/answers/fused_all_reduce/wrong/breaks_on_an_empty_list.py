# layer: behaviour
# says: an empty list
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    others = [each for each in tensors if each.dtype != tensors[0].dtype]
    group = [each for each in tensors if each.dtype == tensors[0].dtype]
    flat = torch.cat([each.reshape(-1) for each in group])
    dist.all_reduce(flat)
    for each, part in zip(group, flat.split([each.numel() for each in group])):
        each.copy_(part.view_as(each))
    if others:
        fused_all_reduce(others)
