# layer: source
# says: all_gather
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [each for each in tensors if each.dtype == dtype]
        flat = torch.cat([each.reshape(-1) for each in group])
        everyone = [torch.empty_like(flat) for _ in range(dist.get_world_size())]
        dist.all_gather(everyone, flat)
        flat = torch.stack(everyone).sum(dim=0)
        for each, part in zip(group, flat.split([each.numel() for each in group])):
            each.copy_(part.view_as(each))
