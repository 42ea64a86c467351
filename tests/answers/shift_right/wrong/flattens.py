# layer: behaviour
# says: shape (20,); it should be (4, 5)
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.clone()
    incoming = tensor.new_empty(tensor.numel())
    work = dist.isend(tensor.view(-1), (rank + 1) % size)
    dist.recv(incoming, (rank - 1) % size)
    work.wait()
    return incoming
