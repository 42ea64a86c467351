# layer: traffic
# says: beside the tensor
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    works, buffers = [], []
    for step in range(2 * (size - 1)):
        incoming = chunks[(rank - step - 1) % size]
        buffers.append(torch.empty_like(incoming))
        works.append(dist.isend(chunks[(rank - step) % size], (rank + 1) % size))
        dist.recv(buffers[-1], (rank - 1) % size)
        if step < size - 1:
            incoming += buffers[-1]
        else:
            incoming.copy_(buffers[-1])
    for work in works:
        work.wait()
