# layer: behaviour
# says: it should be
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        for other in range(1, size):
            part = torch.zeros_like(tensor)
            work = dist.irecv(part, other)
            tensor += part
            work.wait()
        for other in range(1, size):
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
