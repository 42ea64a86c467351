# layer: traffic
# says: All ranks together send 8 messages; 6 are enough
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    """A butterfly: right sums for powers of two, and more messages than a tree."""
    rank, size = dist.get_rank(), dist.get_world_size()
    distance = 1
    while distance < size:
        other = rank ^ distance
        if other < size:
            part = torch.empty_like(tensor)
            work = dist.isend(tensor, other)
            dist.recv(part, other)
            work.wait()
            tensor += part
        distance *= 2
