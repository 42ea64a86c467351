import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """Sum `tensor` over all ranks, in place: inside nodes, between nodes, inside nodes.

    Rank r is on node r // ranks_per_node.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. Any shape.
        ranks_per_node: a divisor of the world size.

    Raises:
        ValueError: ranks_per_node does not divide the world size; raised before anything is sent.

    Budget: with K nodes, at most 2(K - 1) * M bytes cross from node to node, summed over the
    cluster, M rounded up to a multiple of N elements, N the world size. In a collective over
    several nodes at most one rank of each node takes part.
    """
    ### BEGIN SOLUTION
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if ranks_per_node < 1 or world_size % ranks_per_node:
        raise ValueError(
            f"ranks_per_node={ranks_per_node} does not divide the world size {world_size}"
        )

    leaders = list(range(0, world_size, ranks_per_node))
    # Every rank makes every group, in the same order, also those that it is not in.
    nodes = [dist.new_group(range(first, first + ranks_per_node)) for first in leaders]
    between = dist.new_group(leaders)

    node = nodes[rank // ranks_per_node]
    leader = leaders[rank // ranks_per_node]
    dist.reduce(tensor, leader, group=node)
    if rank == leader:
        dist.all_reduce(tensor, group=between)
    dist.broadcast(tensor, leader, group=node)
    ### END SOLUTION
