# layer: traffic
# says: elements into the all_reduce at line
# says: padding included
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """A table with a row for each tensor."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [tensor for tensor in tensors if tensor.dtype == dtype]
        longest = max(tensor.numel() for tensor in group)
        table = torch.zeros(len(group), longest, dtype=dtype)
        for row, tensor in zip(table, group):
            row[: tensor.numel()] = tensor.reshape(-1)
        dist.all_reduce(table)
        for row, tensor in zip(table, group):
            tensor.copy_(row[: tensor.numel()].view_as(tensor))
