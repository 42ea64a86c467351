# layer: traffic
# says: never waits for its recv from rank
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.clone()
    incoming = torch.empty_like(tensor)
    receiving = dist.irecv(incoming, (rank - 1) % size)
    dist.send(tensor, (rank + 1) % size)
    return incoming
