# layer: traffic
# says: before it has waited for it
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if world_size == 1:
        return tensor.clone()
    arriving = torch.empty_like(tensor)
    works = [
        dist.isend(tensor, (rank + 1) % world_size),
        dist.irecv(arriving, (rank - 1) % world_size),
    ]
    for _ in range(500_000):
        pass
    result = arriving.clone()
    for work in works:
        work.wait()
    return result
