# layer: behaviour
# says: Those that come out wrong are not contiguous
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    by_dtype: dict[torch.dtype, list[Tensor]] = {}
    for tensor in tensors:
        by_dtype.setdefault(tensor.dtype, []).append(tensor)
    for group in by_dtype.values():
        flat = torch.cat([tensor.reshape(-1) for tensor in group])
        dist.all_reduce(flat)
        for tensor, part in zip(group, flat.split([each.numel() for each in group])):
            tensor.reshape(-1).copy_(part)
