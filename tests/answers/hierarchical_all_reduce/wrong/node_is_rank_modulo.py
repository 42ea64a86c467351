# layer: traffic
# says: bytes cross from node to node
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """Takes neighbours in rank for different nodes."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    count = size // ranks_per_node
    nodes = [dist.new_group(list(range(first, size, count))) for first in range(count)]
    leaders = dist.new_group(list(range(count)))
    dist.reduce(tensor, rank % count, group=nodes[rank % count])
    if rank < count:
        dist.all_reduce(tensor, group=leaders)
    dist.broadcast(tensor, rank % count, group=nodes[rank % count])
