# layer: traffic
# says: bfloat16
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    wire = torch.float32 if tensor.dtype == torch.bfloat16 else tensor.dtype
    for step in range(2 * (size - 1)):
        incoming = chunks[(rank - step - 1) % size]
        buffer = torch.empty_like(incoming, dtype=wire)
        parcel = chunks[(rank - step) % size].to(wire)
        sending = dist.isend(parcel, (rank + 1) % size)
        dist.recv(buffer, (rank - 1) % size)
        sending.wait()
        if step < size - 1:
            incoming += buffer
        else:
            incoming.copy_(buffer)
