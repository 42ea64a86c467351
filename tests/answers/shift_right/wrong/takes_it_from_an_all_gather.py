# layer: source
# says: all_gather
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    parts = [torch.empty_like(tensor) for _ in range(size)]
    dist.all_gather(parts, tensor)
    return parts[(rank - 1) % size]
