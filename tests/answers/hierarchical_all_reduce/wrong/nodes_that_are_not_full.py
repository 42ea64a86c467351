# layer: behaviour
# says: before it raises ValueError
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    leaders = list(range(0, world_size, ranks_per_node))
    # Every rank makes every group, in the same order, also those that it is not in.
    nodes = [dist.new_group(range(first, first + ranks_per_node)) for first in leaders]
    between = dist.new_group(leaders)

    node = nodes[rank // ranks_per_node]
    leader = leaders[rank // ranks_per_node]
    dist.reduce(tensor, leader, group=node)
    if rank == leader:
        dist.all_reduce(tensor, group=between)
    dist.broadcast(tensor, leader, group=node)
