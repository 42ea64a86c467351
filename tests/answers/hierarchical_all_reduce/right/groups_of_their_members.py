import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """With use_local_synchronization only the members of a group make it: two for each rank."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    node, place = divmod(rank, ranks_per_node)
    members = list(range(node * ranks_per_node, (node + 1) * ranks_per_node))
    inside = dist.new_group(members, use_local_synchronization=True)
    likes = list(range(place, size, ranks_per_node))
    between = dist.new_group(likes, use_local_synchronization=True)
    dist.reduce(tensor, members[0], group=inside)
    if place == 0:
        dist.all_reduce(tensor, group=between)
    dist.broadcast(tensor, members[0], group=inside)
