# layer: behaviour
# says: ranks
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), min(5, dist.get_world_size())
    if rank >= size:
        return
    if rank:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
        return
    part = torch.empty_like(tensor)
    for other in range(1, size):
        dist.recv(part, other)
        tensor += part
    for other in range(1, size):
        dist.send(tensor, other)
