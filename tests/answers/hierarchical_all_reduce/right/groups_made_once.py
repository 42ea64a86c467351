from functools import cache

import torch.distributed as dist
from torch import Tensor


@cache
def groups(size: int, ranks_per_node: int):
    leaders = range(0, size, ranks_per_node)
    nodes = [dist.new_group([*range(r, r + ranks_per_node)]) for r in leaders]
    return nodes, dist.new_group([*leaders])


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    nodes, between = groups(dist.get_world_size(), ranks_per_node)
    node, place = divmod(dist.get_rank(), ranks_per_node)
    dist.all_reduce(tensor, group=nodes[node])
    if place == 0:
        dist.all_reduce(tensor, group=between)
    dist.broadcast(tensor, group_src=0, group=nodes[node])
