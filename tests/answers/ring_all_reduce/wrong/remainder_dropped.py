# layer: behaviour
# says: remainder
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    flat = tensor.view(-1)
    length = flat.numel() // size
    chunks = [flat[i * length : (i + 1) * length] for i in range(size)]
    buffer = torch.empty_like(chunks[0])
    for step in range(2 * (size - 1)):
        outgoing, incoming = chunks[(rank - step) % size], chunks[(rank - step - 1) % size]
        sending = dist.isend(outgoing, (rank + 1) % size)
        dist.recv(buffer, (rank - 1) % size)
        sending.wait()
        if step < size - 1:
            incoming += buffer
        else:
            incoming.copy_(buffer)
