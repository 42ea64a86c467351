# layer: traffic
# says: Here every message has rank 0 at one end
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    centre = min(1, size - 1)
    others = [other for other in range(size) if other != centre]
    if rank == centre:
        part = torch.empty_like(tensor)
        for other in others:
            dist.recv(part, other)
            tensor += part
        for other in others:
            dist.send(tensor, other)
    else:
        dist.send(tensor, centre)
        dist.recv(tensor, centre)
