import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    """Sum `tensor` over all ranks, in place, by passing chunks round a ring.

    Afterwards every rank's `tensor` holds the sum of what the ranks had, as after
    `dist.all_reduce(tensor)`. Only send, recv, isend, irecv and batch_isend_irecv may be used,
    and a rank sends only to rank + 1, round the ring.

    Args:
        tensor: contiguous, the same shape and dtype on every rank. Any shape: the number n of
            elements need not divide by the world size N, and may be smaller than it or 0.

    Budget of each rank: at most 2(N - 1) messages and 2(N - 1) * ceil(n / N) elements sent,
    and at most two chunks of memory beside the tensor.
    """
    ### BEGIN SOLUTION
    rank, world_size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % world_size, (rank + 1) % world_size

    chunks = tensor.view(-1).tensor_split(world_size)  # views: a change to one changes tensor
    scratch = torch.empty_like(chunks[0])  # no other chunk is larger

    for step in range(2 * (world_size - 1)):
        outgoing = chunks[(rank - step) % world_size]
        incoming = chunks[(rank - step - 1) % world_size]
        reducing = step < world_size - 1
        # A message overwrites what it lands on, and a sum needs both.
        landing = scratch[: incoming.numel()] if reducing else incoming

        exchange = [
            dist.P2POp(dist.irecv, landing, left),
            dist.P2POp(dist.isend, outgoing, right),
        ]
        for work in dist.batch_isend_irecv(exchange):
            work.wait()
        if reducing:
            incoming.add_(landing)
    ### END SOLUTION
