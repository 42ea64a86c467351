# layer: traffic
# says: The longest chain has 6 messages
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank + 1 < size:
        part = torch.empty_like(tensor)
        dist.recv(part, rank + 1)
        tensor += part
    if rank:
        dist.send(tensor, rank - 1)
        dist.recv(tensor, rank - 1)
    if rank + 1 < size:
        dist.send(tensor, rank + 1)
