# layer: behaviour
# says: line
import math

import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    """Rank 0 has no logarithm."""
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    parent = rank - 2 ** int(math.log2(rank))
    level = int(math.log2(rank)) + 1
    children = [rank + 2**k for k in range(level, size) if rank + 2**k < size]
    part = torch.empty_like(tensor)
    for child in reversed(children):
        dist.recv(part, child)
        tensor += part
    if rank:
        dist.send(tensor, parent)
        dist.recv(tensor, parent)
    for child in children:
        dist.send(tensor, child)
