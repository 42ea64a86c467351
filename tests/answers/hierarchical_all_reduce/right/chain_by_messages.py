import torch
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """From the last rank to the first and back: between two nodes the tensor passes twice."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    part = torch.empty_like(tensor)
    if rank + 1 < size:
        dist.recv(part, rank + 1)
        tensor += part
    if rank > 0:
        dist.send(tensor, rank - 1)
        dist.recv(tensor, rank - 1)
    if rank + 1 < size:
        dist.send(tensor, rank + 1)
