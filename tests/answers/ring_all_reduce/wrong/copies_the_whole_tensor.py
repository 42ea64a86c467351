# layer: traffic
# says: beside the tensor
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    total, arrived = tensor.clone().view(-1), torch.empty_like(tensor).view(-1)
    chunks, buffers = total.tensor_split(size), arrived.tensor_split(size)
    for step in range(2 * (size - 1)):
        here = (rank - step - 1) % size
        sending = dist.isend(chunks[(rank - step) % size], (rank + 1) % size)
        dist.recv(buffers[here], (rank - 1) % size)
        sending.wait()
        if step < size - 1:
            chunks[here].add_(buffers[here])
        else:
            chunks[here].copy_(buffers[here])
    tensor.copy_(total.view(tensor.shape))
