# layer: behaviour
# says: waits in send to rank 1
# says: already waited for
import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor.clone()
    incoming = torch.empty_like(tensor)
    works = [dist.irecv(incoming, (rank - 1) % size), dist.isend(tensor, (rank + 1) % size)]
    for work in works:
        work.wait()
    works[-1].wait()
    return incoming
