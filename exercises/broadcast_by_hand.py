# Lesson 02, exercise broadcast_by_hand: Broadcast by hand.
# When it is written: ./course check broadcast_by_hand work/broadcast_by_hand.py
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
    # TODO: your code here.
    raise NotImplementedError("broadcast_by_hand is not written yet.")
