# layer: traffic
# says: take part in one reduce at line
# says: Sum inside the node first
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    leaders = list(range(0, size, ranks_per_node))
    nodes = [dist.new_group(list(range(first, first + ranks_per_node))) for first in leaders]
    between = dist.new_group(leaders)
    dist.reduce(tensor, 0)
    if rank in leaders:
        dist.broadcast(tensor, 0, group=between)
    leader = rank // ranks_per_node * ranks_per_node
    dist.broadcast(tensor, leader, group=nodes[rank // ranks_per_node])
