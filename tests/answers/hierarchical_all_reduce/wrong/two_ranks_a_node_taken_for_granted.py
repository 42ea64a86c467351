# layer: traffic
# says: bytes cross from node to node
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    per_node = min(2, size) if size % 2 == 0 else size
    leaders = list(range(0, size, per_node))
    nodes = [dist.new_group(list(range(first, first + per_node))) for first in leaders]
    between = dist.new_group(leaders)
    leader = leaders[rank // per_node]
    dist.reduce(tensor, leader, group=nodes[rank // per_node])
    if rank == leader:
        dist.all_reduce(tensor, group=between)
    dist.broadcast(tensor, leader, group=nodes[rank // per_node])
