import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    """In pieces: the bytes are the same."""
    rank, size = dist.get_rank(), dist.get_world_size()
    result = tensor.new_empty(tensor.shape)
    if size == 1:
        result.copy_(tensor)
        return result
    works = []
    for mine, theirs in zip(tensor.view(-1).chunk(3), result.view(-1).chunk(3)):
        works.append(dist.irecv(theirs, src=(rank + size - 1) % size))
        works.append(dist.isend(mine, dst=(rank + 1) % size))
    [work.wait() for work in works]
    return result
