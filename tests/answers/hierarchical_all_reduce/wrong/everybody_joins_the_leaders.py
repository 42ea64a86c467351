# layer: behaviour
# says: it should be
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """A rank that is not in a group only warns and goes on; here nobody passes the sum on."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    leaders = list(range(0, size, ranks_per_node))
    nodes = [dist.new_group(list(range(first, first + ranks_per_node))) for first in leaders]
    between = dist.new_group(leaders)
    dist.reduce(tensor, leaders[rank // ranks_per_node], group=nodes[rank // ranks_per_node])
    dist.all_reduce(tensor, group=between)
