# layer: behaviour
# says: Rank 0 returns
# says: elements wrong: element 0 is 0
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    result = torch.zeros_like(tensor)
    work = dist.isend(tensor, rank + 1) if rank + 1 < size else None
    if rank > 0:
        dist.recv(result, rank - 1)
    if work:
        work.wait()
    return tensor.clone() if size == 1 else result
