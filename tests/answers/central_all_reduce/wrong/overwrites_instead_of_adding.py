# layer: behaviour
# says: a message overwrites what it lands on
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        for other in range(1, size):
            dist.recv(tensor, other)
        for other in range(1, size):
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
