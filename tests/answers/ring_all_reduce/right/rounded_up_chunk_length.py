import math

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    flat = tensor.reshape(-1)
    length = math.ceil(flat.numel() / size)
    bounds = [min(i * length, flat.numel()) for i in range(size + 1)]
    inbox = torch.empty(length, dtype=tensor.dtype, device=tensor.device)

    def chunk(index: int) -> Tensor:
        index %= size
        return flat[bounds[index] : bounds[index + 1]]

    for step in range(2 * size - 2):
        mine = chunk(rank - step - 1)
        landing = inbox.narrow(0, 0, mine.numel())
        send = dist.isend(chunk(rank - step), (rank + 1) % size)
        recv = dist.irecv(landing, (rank + size - 1) % size)
        recv.wait()
        send.wait()
        mine.add_(landing) if step < size - 1 else mine.copy_(landing)
