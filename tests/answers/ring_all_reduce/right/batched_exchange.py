import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    """Reduce-scatter, then all-gather, each step one batch."""
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)

    def exchange(outgoing: Tensor, landing: Tensor) -> None:
        ops = [
            dist.P2POp(dist.isend, outgoing, (rank + 1) % size),
            dist.P2POp(dist.irecv, landing, (rank - 1) % size),
        ]
        for work in dist.batch_isend_irecv(ops):
            work.wait()

    for step in range(size - 1):
        incoming = chunks[(rank - step - 1) % size]
        arrived = torch.empty_like(incoming)
        exchange(chunks[(rank - step) % size], arrived)
        incoming += arrived
    for step in range(size - 1):
        exchange(chunks[(rank + 1 - step) % size], chunks[(rank - step) % size])
