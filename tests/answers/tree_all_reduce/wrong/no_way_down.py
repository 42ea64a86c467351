# layer: behaviour
# says: were not sent on
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    lowest = rank & -rank or 1 << size.bit_length()
    part = torch.empty_like(tensor)
    distance = 1
    while distance < lowest and rank + distance < size:
        dist.recv(part, rank + distance)
        tensor += part
        distance *= 2
    if rank:
        dist.send(tensor, rank - lowest)
