# layer: traffic
# says: Here every message has rank 0 at one end
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    passing = tensor.clone()
    for _ in range(size - 1):
        incoming = torch.empty_like(tensor)
        work = dist.isend(passing, (rank + 1) % size)
        dist.recv(incoming, (rank - 1) % size)
        work.wait()
        tensor += incoming
        passing = incoming
