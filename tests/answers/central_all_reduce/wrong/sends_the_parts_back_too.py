# layer: traffic
# says: Rank 0 sends
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    """Rank 0 hands every part to everybody, and each adds for itself."""
    rank, size = dist.get_rank(), dist.get_world_size()
    parts = [torch.empty_like(tensor) for _ in range(size)]
    if rank == 0:
        parts[0].copy_(tensor)
        for other in range(1, size):
            dist.recv(parts[other], other)
        for other in range(1, size):
            for part in parts:
                dist.send(part, other)
    else:
        dist.send(tensor, 0)
        for part in parts:
            dist.recv(part, 0)
    tensor.zero_()
    for part in parts:
        tensor += part
