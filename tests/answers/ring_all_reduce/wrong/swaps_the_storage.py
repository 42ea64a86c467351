# layer: behaviour
# says: point at other memory
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = [chunk.clone() for chunk in tensor.view(-1).tensor_split(size)]
    for step in range(2 * (size - 1)):
        here = (rank - step - 1) % size
        buffer = torch.empty_like(chunks[here])
        sending = dist.isend(chunks[(rank - step) % size], (rank + 1) % size)
        dist.recv(buffer, (rank - 1) % size)
        sending.wait()
        chunks[here] = chunks[here] + buffer if step < size - 1 else buffer
    tensor.data = torch.cat(chunks).view(tensor.shape)
