# layer: behaviour
# says: it should be
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    rank, size = dist.get_rank(), dist.get_world_size()
    works = []
    if (rank + 1) % size != src:
        works.append(dist.isend(tensor.clone(), (rank + 1) % size))
    if rank != src:
        works.append(dist.irecv(tensor, (rank - 1) % size))
    for work in works:
        work.wait()
