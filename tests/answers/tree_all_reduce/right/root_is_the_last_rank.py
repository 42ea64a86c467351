import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    size = dist.get_world_size()
    place = size - 1 - dist.get_rank()
    distances = []
    distance = 1
    while distance < size and not place & distance:
        if place + distance < size:
            distances.append(distance)
        distance *= 2
    for each in distances:
        part = torch.empty_like(tensor)
        dist.irecv(part, size - 1 - (place + each)).wait()
        tensor.add_(part)
    if place:
        parent = size - 1 - (place - distance)
        dist.isend(tensor, parent).wait()
        dist.irecv(tensor, parent).wait()
    for each in distances[::-1]:
        dist.isend(tensor, size - 1 - (place + each)).wait()
