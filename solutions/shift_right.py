import torch
import torch.distributed as dist
from torch import Tensor


def shift_right(tensor: Tensor) -> Tensor:
    """Return what the left neighbour has; every rank passes its own tensor to the right.

    The left neighbour of rank r is rank r - 1; that of rank 0 is the last rank. Only send, recv,
    isend, irecv and batch_isend_irecv may be used.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. It is not changed.

    Returns:
        A new tensor of the same shape and dtype. With one rank a copy of `tensor`.

    Budget of each rank: the bytes of `tensor` sent once; nothing with one rank.
    """
    ### BEGIN SOLUTION
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if world_size == 1:
        return tensor.clone()

    incoming = torch.empty_like(tensor)
    # Both are under way before anyone waits, so that no rank waits for one that has yet to receive.
    sending = dist.isend(tensor, (rank + 1) % world_size)
    receiving = dist.irecv(incoming, (rank - 1) % world_size)
    receiving.wait()
    sending.wait()
    return incoming
    ### END SOLUTION
