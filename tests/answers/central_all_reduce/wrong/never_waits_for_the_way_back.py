# layer: traffic
# says: never waits for its recv from rank 0
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
        for other in range(1, size):
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        work = dist.irecv(tensor, 0)
