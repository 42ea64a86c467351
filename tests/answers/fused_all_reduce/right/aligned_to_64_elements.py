import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """The fused tensor is padded to a multiple of 64 elements."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [tensor for tensor in tensors if tensor.dtype == dtype]
        count = sum(map(Tensor.numel, group))
        fused = torch.zeros(-(-count // 64) * 64, dtype=dtype)
        torch.cat([tensor.reshape(-1) for tensor in group], out=fused[:count])
        dist.all_reduce(fused)
        for tensor, part in zip(group, fused[:count].split([each.numel() for each in group])):
            tensor.copy_(part.view_as(tensor))
