from collections import defaultdict

import torch.distributed as dist
from torch import Tensor
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    groups = defaultdict(list)
    for tensor in tensors:
        groups[tensor.dtype].append(tensor)
    for group in groups.values():
        flat = _flatten_dense_tensors(group)
        dist.all_reduce(flat)
        for tensor, part in zip(group, _unflatten_dense_tensors(flat, group)):
            tensor.copy_(part)
