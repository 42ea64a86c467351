# layer: behaviour
# says: it should be
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        part = torch.empty_like(tensor)
        works = [dist.isend(tensor.clone(), other) for other in range(1, size)]
        for other in range(1, size):
            dist.recv(part, other)
            tensor += part
        for work in works:
            work.wait()
    else:
        work = dist.isend(tensor.clone(), 0)
        dist.recv(tensor, 0)
        work.wait()
