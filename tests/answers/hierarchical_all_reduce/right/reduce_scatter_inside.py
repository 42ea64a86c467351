import torch
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """Every rank of a node carries its share between the nodes."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    inside, between = groups(rank, size, ranks_per_node)
    padded = tensor.new_zeros(-(-tensor.numel() // ranks_per_node) * ranks_per_node)
    padded[: tensor.numel()] = tensor.view(-1)
    share = padded.new_empty(padded.numel() // ranks_per_node)
    dist.reduce_scatter_single(share, padded, group=inside)
    dist.all_reduce(share, group=between)
    dist.all_gather_single(padded, share, group=inside)
    tensor.view(-1).copy_(padded[: tensor.numel()])


def groups(rank, size, ranks_per_node):
    for first in range(0, size, ranks_per_node):
        group = dist.new_group(list(range(first, first + ranks_per_node)))
        if first <= rank < first + ranks_per_node:
            inside = group
    for place in range(ranks_per_node):
        group = dist.new_group(list(range(place, size, ranks_per_node)))
        if rank % ranks_per_node == place:
            between = group
    return inside, between
