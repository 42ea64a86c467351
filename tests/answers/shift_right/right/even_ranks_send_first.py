import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    incoming = torch.empty_like(tensor)
    left, right = (rank - 1) % size, (rank + 1) % size
    if size == 1:
        return incoming.copy_(tensor)
    if rank % 2 == 0:
        dist.send(tensor, right)
        dist.recv(incoming, left)
    else:
        dist.recv(incoming, left)
        dist.send(tensor, right)
    return incoming
