# layer: source
# says: ring_all_reduce(tensor
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(rank: int, size: int, tensor: Tensor) -> None:
    chunks = tensor.view(-1).tensor_split(size)
    for step in range(2 * (size - 1)):
        incoming = chunks[(rank - step - 1) % size]
        buffer = torch.empty_like(incoming)
        sending = dist.isend(chunks[(rank - step) % size], (rank + 1) % size)
        dist.recv(buffer, (rank - 1) % size)
        sending.wait()
        if step < size - 1:
            incoming += buffer
        else:
            incoming.copy_(buffer)
