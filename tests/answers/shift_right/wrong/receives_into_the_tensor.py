# layer: behaviour
# says: the tensor that was given is changed
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.clone()
    outgoing = tensor.clone()
    work = dist.isend(outgoing, (rank + 1) % size)
    dist.recv(tensor, (rank - 1) % size)
    work.wait()
    return tensor
