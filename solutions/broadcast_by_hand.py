import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    """Overwrite `tensor` on every rank with rank `src`'s, in place.

    Only send, recv, isend, irecv and batch_isend_irecv may be used, and nobody sends to `src`.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. Any shape.
        src: rank whose tensor everybody gets, the same number on every rank.

    Raises:
        ValueError: `src` is not a rank of the group; raised before anything is sent.
    """
    ### BEGIN SOLUTION
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if not 0 <= src < world_size:
        raise ValueError(f"src={src} is not one of the ranks 0 to {world_size - 1}")

    if rank != src:
        dist.recv(tensor, src)
        return
    sending = [dist.isend(tensor, other) for other in range(world_size) if other != src]
    for work in sending:
        work.wait()
    ### END SOLUTION
