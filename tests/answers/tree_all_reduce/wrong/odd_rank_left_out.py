# layer: behaviour
# says: 3 ranks
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    """Pairs up the ranks below the largest power of two and forgets the rest."""
    rank, size = dist.get_rank(), dist.get_world_size()
    size = 1 << (size.bit_length() - 1)
    if rank >= size:
        return
    lowest = rank & -rank or size
    children = [rank + (1 << k) for k in range(lowest.bit_length() - 1)]
    part = torch.empty_like(tensor)
    for child in children:
        dist.recv(part, child)
        tensor += part
    if rank:
        dist.send(tensor, rank - lowest)
        dist.recv(tensor, rank - lowest)
    for child in reversed(children):
        dist.send(tensor, child)
