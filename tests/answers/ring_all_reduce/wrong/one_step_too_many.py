# layer: traffic
# says: Rank 0 sends 7 messages; 6 are enough
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    right, left = (rank + 1) % size, (rank - 1) % size
    chunks = tensor.view(-1).tensor_split(size)
    for step in range(size):
        incoming = chunks[(rank - step - 1) % size]
        buffer = torch.empty_like(incoming)
        sending = dist.isend(chunks[(rank - step) % size], right)
        dist.recv(buffer, left)
        sending.wait()
        incoming += buffer
    for step in range(size - 1):
        sending = dist.isend(chunks[(rank - step) % size], right)
        dist.recv(chunks[(rank - step - 1) % size], left)
        sending.wait()
