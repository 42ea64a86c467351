# layer: behaviour
# says: Nothing in the list has changed
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> list[Tensor]:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    results = list(tensors)
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        places = [i for i, each in enumerate(tensors) if each.dtype == dtype]
        flat = torch.cat([tensors[i].reshape(-1) for i in places])
        dist.all_reduce(flat)
        for i, part in zip(places, flat.split([tensors[i].numel() for i in places])):
            results[i] = part.view_as(tensors[i])
    return results
