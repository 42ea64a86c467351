import torch
import torch.distributed as dist
from torch import Tensor

wait = dist.Work.wait


def shift_right(tensor: Tensor) -> Tensor:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if world_size == 1:
        return tensor.clone()
    arriving = torch.empty_like(tensor)
    works = [
        dist.isend(tensor, (rank + 1) % world_size),
        dist.irecv(arriving, (rank - 1) % world_size),
    ]
    for work in works:
        wait(work)
    return arriving
