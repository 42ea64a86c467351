# layer: traffic
# says: no tensor of the list has that dtype
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """Saves a call by widening bfloat16; each dtype is to have its own."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    wide = {torch.bfloat16: torch.float32}
    groups: dict[torch.dtype, list[Tensor]] = {}
    for tensor in tensors:
        groups.setdefault(wide.get(tensor.dtype, tensor.dtype), []).append(tensor)
    for dtype, group in groups.items():
        flat = torch.cat([tensor.reshape(-1).to(dtype) for tensor in group])
        dist.all_reduce(flat)
        for tensor, part in zip(group, flat.split([each.numel() for each in group])):
            tensor.copy_(part.view_as(tensor))
