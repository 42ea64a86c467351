import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    """Sum `tensor` over all ranks, in place, by way of rank 0.

    Rank 0 collects the others' tensors, adds them to its own and sends the sum back. Only send,
    recv, isend, irecv and batch_isend_irecv may be used, and every message has rank 0 at one end.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. Any shape.

    Budget of rank 0, for M bytes on N ranks: (N - 1) * M received and (N - 1) * M sent.
    """
    ### BEGIN SOLUTION
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if rank != 0:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
        return

    part = torch.empty_like(tensor)
    for other in range(1, world_size):
        dist.recv(part, other)
        tensor.add_(part)
    sending = [dist.isend(tensor, other) for other in range(1, world_size)]
    for work in sending:
        work.wait()
    ### END SOLUTION
