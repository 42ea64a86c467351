# layer: traffic
# says: All ranks together send 12 messages; 6 are enough
import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    lowest = rank & -rank or 1 << (size - 1).bit_length()
    children = [rank + (1 << k) for k in range(lowest.bit_length() - 1) if rank + (1 << k) < size]
    for piece in tensor.view(-1).tensor_split(2):
        part = torch.empty_like(piece)
        for child in children:
            dist.recv(part, child)
            piece += part
        if rank:
            dist.send(piece, rank - lowest)
            dist.recv(piece, rank - lowest)
        for child in reversed(children):
            dist.send(piece, child)
