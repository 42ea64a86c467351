import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    result = torch.empty_like(tensor)
    if size == 1:
        return tensor.clone()
    works = {
        "in": dist.irecv(result, (rank - 1) % size),
        "out": dist.isend(tensor, (rank + 1) % size),
    }
    while works:
        _, work = works.popitem()
        work.wait()
    return result
