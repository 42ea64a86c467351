# layer: behaviour
# says: On 1 rank
# says: to itself
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % size, (rank - 1) % size
    chunks = tensor.view(-1).tensor_split(size)

    def exchange(outgoing: Tensor, landing: Tensor) -> None:
        sending = dist.isend(outgoing, right)
        dist.recv(landing, left)
        sending.wait()

    step = 0
    while True:
        incoming = chunks[(rank - step - 1) % size]
        buffer = torch.empty_like(incoming)
        exchange(chunks[(rank - step) % size], buffer)
        incoming += buffer
        step += 1
        if step >= size - 1:
            break
    for step in range(size - 1):
        exchange(chunks[(rank + 1 - step) % size], chunks[(rank - step) % size])
