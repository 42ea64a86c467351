# layer: behaviour
# says: a rank can't send to itself
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    work = dist.isend(tensor, 0)
    if rank == 0:
        total = torch.zeros_like(tensor)
        part = torch.empty_like(tensor)
        for other in range(size):
            dist.recv(part, other)
            total += part
        tensor.copy_(total)
        for other in range(1, size):
            dist.send(tensor, other)
    else:
        work.wait()
        dist.recv(tensor, 0)
