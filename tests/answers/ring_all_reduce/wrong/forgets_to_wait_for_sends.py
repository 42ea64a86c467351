# layer: behaviour
# says: posted a send to rank
# says: never waits for it
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    buffer = torch.empty_like(chunks[0])
    for step in range(2 * (size - 1)):
        incoming = chunks[(rank - step - 1) % size]
        landing = buffer[: incoming.numel()]
        dist.isend(chunks[(rank - step) % size], (rank + 1) % size)
        dist.recv(landing, (rank - 1) % size)
        if step < size - 1:
            incoming += landing
        else:
            incoming.copy_(landing)
