# layer: behaviour
# says: Rank 1 ends with
import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    """Sends a partial sum back before the others have come."""
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        part = torch.empty_like(tensor)
        for other in range(1, size):
            dist.recv(part, other)
            tensor += part
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
