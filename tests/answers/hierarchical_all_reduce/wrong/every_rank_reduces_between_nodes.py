# layer: traffic
# says: bytes cross from node to node
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """Each place carries the whole tensor between the nodes."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    nodes = [
        dist.new_group(list(range(first, first + ranks_per_node)))
        for first in range(0, size, ranks_per_node)
    ]
    places = [
        dist.new_group(list(range(place, size, ranks_per_node))) for place in range(ranks_per_node)
    ]
    dist.all_reduce(tensor, group=nodes[rank // ranks_per_node])
    dist.all_reduce(tensor, group=places[rank % ranks_per_node])
