import torch
import torch.distributed as dist
from torch import Tensor


class Fused:
    def __init__(self, tensors: list[Tensor]) -> None:
        self.tensors = tensors
        self.flat = torch.cat([tensor.contiguous().view(-1) for tensor in tensors])

    def copy_back(self) -> None:
        sizes = [tensor.numel() for tensor in self.tensors]
        for tensor, part in zip(self.tensors, torch.split(self.flat, sizes), strict=True):
            tensor.copy_(part.view_as(tensor))


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if dist.get_world_size() == 1:
        return
    by_dtype: dict[torch.dtype, list[Tensor]] = {}
    for tensor in tensors:
        by_dtype[tensor.dtype] = by_dtype.get(tensor.dtype, []) + [tensor]
    for group in by_dtype.values():
        fused = Fused(group)
        dist.all_reduce(fused.flat, op=dist.ReduceOp.SUM)
        fused.copy_back()
