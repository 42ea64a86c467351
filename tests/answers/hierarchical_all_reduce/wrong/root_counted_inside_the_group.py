# layer: behaviour
# says: raised ValueError
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """Takes 0 for the first rank of its node, where the rank in the world is asked for."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    leaders = list(range(0, size, ranks_per_node))
    nodes = [dist.new_group(list(range(first, first + ranks_per_node))) for first in leaders]
    between = dist.new_group(leaders)
    node = nodes[rank // ranks_per_node]
    dist.reduce(tensor, 0, group=node)
    if rank in leaders:
        dist.all_reduce(tensor, group=between)
    dist.broadcast(tensor, 0, group=node)
