# layer: behaviour
# says: rank 3
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.clone()
    incoming = torch.empty_like(tensor)
    work = dist.isend(tensor, rank + 1)
    dist.recv(incoming, (rank - 1) % size)
    work.wait()
    return incoming
