import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """Every dtype is under way before anyone waits; empty tensors stay out of it."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    under_way = []
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        group = [each for each in tensors if each.dtype == dtype and each.numel() > 0]
        if not group:
            continue
        flat = torch.empty(sum(each.numel() for each in group), dtype=dtype)
        torch.cat([each.reshape(-1) for each in group], out=flat)
        under_way.append((group, flat, dist.all_reduce(flat, async_op=True)))
    for group, flat, work in under_way:
        work.wait()
        for each in group:
            part, flat = flat[: each.numel()], flat[each.numel() :]
            each.copy_(part.view(each.shape))
