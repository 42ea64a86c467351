import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import isend as send_it
from torch.distributed import recv as get_it


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    scratch = torch.empty_like(chunks[0])
    sends = []
    for step in range(2 * (size - 1)):
        # A sent chunk is changed next when its complete sum comes back, and that can't
        # happen before its right neighbour has it.
        sends.append(send_it(chunks[(rank - step) % size], (rank + 1) % size))
        incoming = chunks[(rank - step - 1) % size]
        if step < size - 1:
            get_it(scratch[: incoming.numel()], (rank - 1) % size)
            incoming += scratch[: incoming.numel()]
        else:
            get_it(incoming, (rank - 1) % size)
    for work in sends:
        work.wait()
