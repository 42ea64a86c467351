import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    """Sum `tensor` over all ranks, in place: reduce up a tree, broadcast down.

    Only send, recv, isend, irecv and batch_isend_irecv may be used.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. Any shape, any world size N.

    Budget: 2(N - 1) messages in all; no rank exchanges messages with more than ceil(log2 N)
    others; the longest chain of messages, each waiting for the one before, has at most
    2 * ceil(log2 N).
    """
    ### BEGIN SOLUTION
    rank, world_size = dist.get_rank(), dist.get_world_size()
    # A binomial tree with its root at rank 0: the parent of a rank is the rank without its lowest
    # set bit, and its children are one distance away each, 1, 2, 4, ..., below that bit.
    reach = rank & -rank if rank else 1 << (world_size - 1).bit_length()
    distances = [1 << bit for bit in range(reach.bit_length() - 1)]
    children = [rank + distance for distance in distances if rank + distance < world_size]
    parent = rank - reach

    part = torch.empty_like(tensor) if children else None
    for child in children:
        dist.recv(part, child)
        tensor.add_(part)
    if rank:
        dist.send(tensor, parent)
        dist.recv(tensor, parent)
    # The largest subtree has the longest way to go, so it is woken first.
    for child in reversed(children):
        dist.send(tensor, child)
    ### END SOLUTION
