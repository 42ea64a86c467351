import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    buffer = torch.empty_like(tensor)
    mask = 1
    while mask < size:
        if rank & mask:
            dist.send(tensor, rank - mask)
            break
        if rank + mask < size:
            dist.recv(buffer, rank + mask)
            tensor += buffer
        mask <<= 1
    while mask >= size and mask > 1:
        mask >>= 1
    if rank & mask:
        dist.recv(tensor, rank - mask)
        mask >>= 1
    while mask:
        if rank + mask < size and rank % (2 * mask) == 0:
            dist.send(tensor, rank + mask)
        mask >>= 1
