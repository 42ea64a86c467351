import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    """A binomial tree over the ranks counted from src."""
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    size = dist.get_world_size()
    place = (dist.get_rank() - src) % size
    distance = 1
    while distance < size:
        if place < distance and place + distance < size:
            dist.send(tensor, (src + place + distance) % size)
        elif distance <= place < 2 * distance:
            dist.recv(tensor, (src + place - distance) % size)
        distance *= 2
