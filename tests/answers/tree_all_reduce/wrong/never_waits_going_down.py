# layer: traffic
# says: never waits for its send
import torch
import torch.distributed as dist
from torch import Tensor

# A work that nobody keeps loses its message now and then; this one is sent, and never waited for.
KEPT: list[dist.Work] = []


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    lowest = rank & -rank or 1 << (size - 1).bit_length()
    children = [rank + (1 << k) for k in range(lowest.bit_length() - 1) if rank + (1 << k) < size]
    part = torch.empty_like(tensor)
    for child in children:
        dist.recv(part, child)
        tensor += part
    if rank:
        dist.send(tensor, rank - lowest)
        dist.recv(tensor, rank - lowest)
    for child in reversed(children):
        KEPT.append(dist.isend(tensor, child))
