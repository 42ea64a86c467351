# layer: behaviour
# says: with it the last copy of rank 0
# says: Was it to be added?
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    for step in range(2 * (size - 1)):
        sending = dist.isend(chunks[(rank - step) % size], (rank + 1) % size)
        dist.recv(chunks[(rank - step - 1) % size], (rank - 1) % size)
        sending.wait()
