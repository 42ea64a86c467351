# layer: traffic
# says: exchanges messages with 3 other ranks (1, 2, 3); at most 2
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        part = torch.empty_like(tensor)
        for other in range(1, size):
            dist.recv(part, other)
            tensor += part
        for other in range(1, size):
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
