# layer: behaviour
# says: rank 0
# says: it should be
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    if rank == 0:
        total = torch.zeros_like(tensor)
        part = torch.empty_like(tensor)
        for other in range(1, size):
            dist.recv(part, other)
            total += part
        tensor.copy_(total)
        for other in range(1, size):
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
