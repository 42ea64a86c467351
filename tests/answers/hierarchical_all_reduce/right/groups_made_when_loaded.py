import torch.distributed as dist
from torch import Tensor

N = dist.get_world_size()
SIZES = [size for size in range(1, N + 1) if N % size == 0]
LEADERS = {size: dist.new_group(list(range(0, N, size))) for size in SIZES}
NODES = {
    size: [dist.new_group(list(range(first, first + size))) for first in range(0, N, size)]
    for size in SIZES
}


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    if ranks_per_node not in SIZES:
        raise ValueError("the nodes are not full")
    rank = dist.get_rank()
    node = rank // ranks_per_node
    leader = node * ranks_per_node
    inside = NODES[ranks_per_node][node]
    dist.reduce(tensor, leader, group=inside)
    if rank == leader:
        dist.all_reduce(tensor, group=LEADERS[ranks_per_node])
    dist.broadcast(tensor, leader, group=inside)
