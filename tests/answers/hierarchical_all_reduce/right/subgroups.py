import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """The nodes by new_subgroups; between them a reduce and a broadcast."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank = dist.get_rank()
    inside, _ = dist.new_subgroups(ranks_per_node)
    leaders = list(range(0, dist.get_world_size(), ranks_per_node))
    between = dist.new_group(leaders)
    leader = rank // ranks_per_node * ranks_per_node
    dist.reduce(tensor, leader, group=inside)
    if rank in leaders:
        dist.reduce(tensor, leaders[-1], group=between)
        dist.broadcast(tensor, leaders[-1], group=between)
    dist.broadcast(tensor, leader, group=inside)
