import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.detach().clone()
    result = torch.zeros_like(tensor)
    operations = [
        dist.P2POp(dist.isend, tensor, (rank + 1) % size),
        dist.P2POp(dist.irecv, result, rank - 1 if rank else size - 1),
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    return result
