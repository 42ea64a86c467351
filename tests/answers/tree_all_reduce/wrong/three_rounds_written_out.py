# layer: behaviour
# says: it should be
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    """Rounds for eight ranks at most."""
    rank, size = dist.get_rank(), dist.get_world_size()
    part = torch.empty_like(tensor)
    rounds = (1, 2, 4)
    for distance in rounds:
        if rank % (2 * distance) == distance:
            dist.send(tensor, rank - distance)
            break
        if rank % (2 * distance) == 0 and rank + distance < size:
            dist.recv(part, rank + distance)
            tensor += part
    for distance in reversed(rounds):
        if rank % (2 * distance) == distance:
            dist.recv(tensor, rank - distance)
        elif rank % (2 * distance) == 0 and rank + distance < size:
            dist.send(tensor, rank + distance)
