# layer: behaviour
# says: 9 elements
import torch
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """The last elements, which ranks_per_node does not divide, are not reduced between nodes."""
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
    node, place = divmod(rank, ranks_per_node)
    flat = tensor.view(-1)
    whole = flat[: flat.numel() // ranks_per_node * ranks_per_node]
    share = flat.new_empty(whole.numel() // ranks_per_node)
    dist.reduce_scatter_single(share, whole, group=nodes[node])
    dist.all_reduce(share, group=places[place])
    dist.all_gather_single(whole, share, group=nodes[node])
