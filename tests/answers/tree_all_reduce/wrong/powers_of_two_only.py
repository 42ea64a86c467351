# layer: behaviour
# says: 3 ranks
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    buffer = torch.empty_like(tensor)
    distance = 1
    while distance < size:
        if rank % (2 * distance) == 0:
            dist.recv(buffer, rank + distance)
            tensor += buffer
        elif rank % distance == 0:
            dist.send(tensor, rank - distance)
        distance *= 2
    while distance > 1:
        distance //= 2
        if rank % (2 * distance) == 0:
            dist.send(tensor, rank + distance)
        elif rank % distance == 0:
            dist.recv(tensor, rank - distance)
