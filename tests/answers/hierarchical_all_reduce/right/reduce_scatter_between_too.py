import torch
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if world_size % ranks_per_node:
        raise ValueError("the nodes are not full")
    nodes = world_size // ranks_per_node
    inside = between = None
    for node in range(nodes):
        group = dist.new_group(list(range(node * ranks_per_node, (node + 1) * ranks_per_node)))
        inside = group if rank // ranks_per_node == node else inside
    for place in range(ranks_per_node):
        group = dist.new_group(list(range(place, world_size, ranks_per_node)))
        between = group if rank % ranks_per_node == place else between
    size = -(-tensor.numel() // world_size) * world_size
    whole = tensor.new_zeros(size)
    whole[: tensor.numel()] = tensor.reshape(-1)
    share = tensor.new_empty(size // ranks_per_node)
    dist.reduce_scatter_single(share, whole, group=inside)
    part = tensor.new_empty(size // world_size)
    dist.reduce_scatter_single(part, share, group=between)
    dist.all_gather_single(share, part, group=between)
    dist.all_gather_single(whole, share, group=inside)
    tensor.copy_(whole[: tensor.numel()].view(tensor.shape))
