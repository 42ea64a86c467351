import torch
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """No group at all: to the first rank of the node, round the first ranks, and back."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    leader = rank - rank % ranks_per_node
    if rank != leader:
        dist.send(tensor, leader)
        dist.recv(tensor, leader)
        return
    part = torch.empty_like(tensor)
    members = range(leader + 1, leader + ranks_per_node)
    for other in members:
        dist.recv(part, other)
        tensor += part
    leaders = range(0, size, ranks_per_node)
    if rank == 0:
        for other in leaders[1:]:
            dist.recv(part, other)
            tensor += part
        for other in leaders[1:]:
            dist.send(tensor, other)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
    for other in members:
        dist.send(tensor, other)
