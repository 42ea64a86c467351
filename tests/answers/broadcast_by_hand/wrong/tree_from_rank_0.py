# layer: behaviour
# says: src=1
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    rank, size = dist.get_rank(), dist.get_world_size()
    distance = 1
    while distance < size:
        if rank < distance and rank + distance < size:
            dist.send(tensor, rank + distance)
        elif distance <= rank < 2 * distance:
            dist.recv(tensor, rank - distance)
        distance *= 2
