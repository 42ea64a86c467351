# layer: behaviour
# says: it should be
# says: not in it yet
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    """A tree for eight ranks at most."""
    rank, size = dist.get_rank(), dist.get_world_size()
    if not 0 <= src < size:
        raise ValueError("no such rank")
    place = (rank - src) % size
    for distance in (4, 2, 1):
        if place % (2 * distance) == distance:
            dist.recv(tensor, (rank - distance) % size)
        elif place % (2 * distance) == 0 and place + distance < size:
            dist.send(tensor, (rank + distance) % size)
