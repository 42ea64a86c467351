# layer: behaviour
# says: never waits for its recv from rank
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    for step in range(2 * (size - 1)):
        incoming = chunks[(rank - step - 1) % size]
        buffer = torch.zeros_like(incoming)
        sending = dist.isend(chunks[(rank - step) % size], (rank + 1) % size)
        dist.irecv(buffer, (rank - 1) % size)
        sending.wait()
        if step < size - 1:
            incoming += buffer
        else:
            incoming.copy_(buffer)
