# layer: behaviour
# says: there is no rank 4 here: the ranks are 0 to 3
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if not 0 <= src < world_size:
        raise ValueError("no such rank")
    if rank != src:
        dist.recv(tensor, src)
        return
    for other in range(world_size + 1):
        if other != src:
            dist.send(tensor, other)
