# layer: behaviour
# says: A circle
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    distance = 1
    while distance < size:
        other = rank ^ distance
        if other < size:
            part = torch.empty_like(tensor)
            dist.recv(part, other)
            dist.send(tensor, other)
            tensor += part
        distance *= 2
