# layer: traffic
# says: messages
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    for step in range(2 * (size - 1)):
        outgoing, incoming = chunks[(rank - step) % size], chunks[(rank - step - 1) % size]
        buffer = torch.empty_like(incoming)
        middle = chunks[0].numel() // 2
        for part in (slice(0, middle), slice(middle, None)):
            sending = dist.isend(outgoing[part], (rank + 1) % size)
            dist.recv(buffer[part], (rank - 1) % size)
            sending.wait()
        if step < size - 1:
            incoming += buffer
        else:
            incoming.copy_(buffer)
