# layer: behaviour
# says: A circle
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.clone()
    incoming = torch.empty_like(tensor)
    dist.recv(incoming, (rank - 1) % size)
    dist.send(tensor, (rank + 1) % size)
    return incoming
