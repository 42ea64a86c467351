# layer: traffic
# says: while it is still being sent
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    outbox, inbox = torch.empty_like(chunks[0]), torch.empty_like(chunks[0])
    sends = []
    for step in range(2 * (size - 1)):
        outgoing, incoming = chunks[(rank - step) % size], chunks[(rank - step - 1) % size]
        parcel, landing = outbox[: outgoing.numel()], inbox[: incoming.numel()]
        parcel.copy_(outgoing)
        sends.append(dist.isend(parcel, (rank + 1) % size))
        dist.recv(landing, (rank - 1) % size)
        if step < size - 1:
            incoming += landing
        else:
            incoming.copy_(landing)
    for send in sends:
        send.wait()
