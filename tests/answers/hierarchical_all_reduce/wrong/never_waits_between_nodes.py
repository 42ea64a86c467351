# layer: traffic
# says: never waits for its all_reduce
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    leaders = list(range(0, size, ranks_per_node))
    nodes = [dist.new_group(list(range(first, first + ranks_per_node))) for first in leaders]
    between = dist.new_group(leaders)
    leader = leaders[rank // ranks_per_node]
    dist.reduce(tensor, leader, group=nodes[rank // ranks_per_node])
    if rank == leader:
        work = dist.all_reduce(tensor, group=between, async_op=True)
    dist.broadcast(tensor, leader, group=nodes[rank // ranks_per_node])
