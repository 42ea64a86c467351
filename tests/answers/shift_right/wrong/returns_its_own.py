# layer: behaviour
# says: nothing came from the left
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.clone()
    incoming = tensor.clone()
    outgoing = tensor.clone()
    work = dist.isend(outgoing, (rank + 1) % size)
    dist.recv(outgoing.new_empty(outgoing.shape), (rank - 1) % size)
    work.wait()
    return incoming
