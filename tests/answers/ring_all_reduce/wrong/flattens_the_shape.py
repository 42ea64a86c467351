# layer: behaviour
# says: shape became
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    tensor.resize_(tensor.numel())
    chunks = tensor.tensor_split(size)
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
