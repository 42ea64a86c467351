from itertools import groupby

import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    def key(tensor: Tensor) -> str:
        return str(tensor.dtype)

    for _, group in groupby(sorted(tensors, key=key), key=key):
        group = list(group)
        flat = torch.cat([tensor.flatten() for tensor in group])
        dist.all_reduce(flat)
        start = 0
        for tensor in group:
            end = start + tensor.numel()
            tensor[...] = flat[start:end].reshape(tensor.shape)
            start = end
