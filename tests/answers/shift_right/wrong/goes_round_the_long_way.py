# layer: traffic
# says: one message to the right neighbour
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    """N - 1 steps to the left are one to the right."""
    rank, size = dist.get_rank(), dist.get_world_size()
    current = tensor.clone()
    for _ in range(size - 1):
        incoming = torch.empty_like(current)
        work = dist.isend(current, (rank - 1) % size)
        dist.recv(incoming, (rank + 1) % size)
        work.wait()
        current = incoming
    return current
