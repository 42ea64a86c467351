# layer: behaviour
# says: Tensor 1 of the list
import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """Cuts in list order what was joined dtype by dtype."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    groups: dict[torch.dtype, list[Tensor]] = {}
    for tensor in tensors:
        groups.setdefault(tensor.dtype, []).append(tensor)
    parts = []
    for group in groups.values():
        flat = torch.cat([tensor.reshape(-1) for tensor in group])
        dist.all_reduce(flat)
        parts += flat.split([each.numel() for each in group])
    for tensor, part in zip(tensors, parts):
        if part.numel() == tensor.numel():
            tensor.copy_(part.view_as(tensor))
