# layer: behaviour
# says: the list holds other tensors than before
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        places = [i for i, each in enumerate(tensors) if each.dtype == dtype]
        flat = torch.cat([tensors[i].reshape(-1) for i in places])
        dist.all_reduce(flat)
        for i, part in zip(places, flat.split([tensors[i].numel() for i in places])):
            tensors[i] = part.view_as(tensors[i])
