import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
        return
    parts = {other: torch.empty_like(tensor) for other in range(1, size)}
    for work in [dist.irecv(part, other) for other, part in parts.items()]:
        work.wait()
    for part in parts.values():
        tensor += part
    for other in parts:
        dist.send(tensor, other)
