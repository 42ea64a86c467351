# Lesson 05, exercise hierarchical_all_reduce: Nodes first.
# When it is written: ./course check hierarchical_all_reduce work/hierarchical_all_reduce.py
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
    # TODO: your code here.
    raise NotImplementedError("hierarchical_all_reduce is not written yet.")
