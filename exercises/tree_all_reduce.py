# Lesson 05, exercise tree_all_reduce: Up a tree and down.
# When it is written: ./course check tree_all_reduce work/tree_all_reduce.py
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
    # TODO: your code here.
    raise NotImplementedError("tree_all_reduce is not written yet.")
