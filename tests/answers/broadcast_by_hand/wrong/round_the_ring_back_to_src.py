# layer: traffic
# says: That is src, which has everything already
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    if rank == src:
        dist.send(tensor, (rank + 1) % size)
        dist.recv(tensor, (rank - 1) % size)
    else:
        dist.recv(tensor, (rank - 1) % size)
        dist.send(tensor, (rank + 1) % size)
