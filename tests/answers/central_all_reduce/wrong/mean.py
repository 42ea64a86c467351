# layer: behaviour
# says: It is the mean over the ranks
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        part = torch.empty_like(tensor)
        for other in range(1, size):
            dist.recv(part, other)
            tensor += part
        tensor /= size
        for other in range(1, size):
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
