# layer: traffic
# says: Every message carries the whole tensor
import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    passing_by, arriving = tensor.clone(), torch.empty_like(tensor)
    for _ in range(size - 1):
        sending = dist.isend(passing_by, (rank + 1) % size)
        dist.recv(arriving, (rank - 1) % size)
        sending.wait()
        tensor.add_(arriving)
        passing_by, arriving = arriving, passing_by
