# layer: behaviour
# says: 5 elements
# says: is invalid for input of size 5
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(size, tensor.numel() // size)
    buffer = torch.empty_like(chunks[0])
    for step in range(2 * (size - 1)):
        incoming = chunks[(rank - step - 1) % size]
        sending = dist.isend(chunks[(rank - step) % size], (rank + 1) % size)
        dist.recv(buffer, (rank - 1) % size)
        sending.wait()
        if step < size - 1:
            incoming += buffer
        else:
            incoming.copy_(buffer)
