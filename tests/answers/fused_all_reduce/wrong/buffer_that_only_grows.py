# layer: traffic
# says: elements into the all_reduce at line
# says: padding included
import torch
import torch.distributed as dist
from torch import Tensor


BUFFERS: dict[torch.dtype, Tensor] = {}


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """Sends all of the buffer, also what an earlier call has left there."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [tensor for tensor in tensors if tensor.dtype == dtype]
        n = sum(tensor.numel() for tensor in group)
        if dtype not in BUFFERS or BUFFERS[dtype].numel() < n:
            BUFFERS[dtype] = torch.zeros(n, dtype=dtype)
        flat = BUFFERS[dtype]
        flat[:n] = torch.cat([tensor.reshape(-1) for tensor in group])
        dist.all_reduce(flat)
        for tensor, part in zip(group, flat[:n].split([tensor.numel() for tensor in group])):
            tensor.copy_(part.view_as(tensor))
