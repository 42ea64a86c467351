# layer: behaviour
# says: Copy it back, tensor by tensor
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        flat = torch.cat([each.reshape(-1) for each in tensors if each.dtype == dtype])
        dist.all_reduce(flat)
