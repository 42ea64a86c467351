# layer: traffic
# says: bytes
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    padded = -(-chunks[0].numel() // 64) * 64
    outbox, inbox = tensor.new_zeros(padded), tensor.new_zeros(padded)
    for step in range(2 * (size - 1)):
        outgoing, incoming = chunks[(rank - step) % size], chunks[(rank - step - 1) % size]
        outbox[: outgoing.numel()] = outgoing
        sending = dist.isend(outbox, (rank + 1) % size)
        dist.recv(inbox, (rank - 1) % size)
        sending.wait()
        if step < size - 1:
            incoming += inbox[: incoming.numel()]
        else:
            incoming.copy_(inbox[: incoming.numel()])
