# layer: behaviour
# says: Every rank calls new_group for every group, in the same order
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    first = rank // ranks_per_node * ranks_per_node
    node = dist.new_group(list(range(first, first + ranks_per_node)))
    leaders = list(range(0, size, ranks_per_node))
    between = dist.new_group(leaders)
    dist.reduce(tensor, first, group=node)
    if rank == first:
        dist.all_reduce(tensor, group=between)
    dist.broadcast(tensor, first, group=node)
