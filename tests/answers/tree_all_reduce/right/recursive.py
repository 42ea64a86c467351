import torch
import torch.distributed as dist
from torch import Tensor


def tree_all_reduce(tensor: Tensor) -> None:
    up(tensor, 0, dist.get_world_size())
    down(tensor, 0, dist.get_world_size())


def up(tensor: Tensor, first: int, last: int) -> None:
    """The ranks first to last - 1, halved again and again; the sum ends on first."""
    if last - first < 2:
        return
    middle = first + (last - first + 1) // 2
    rank = dist.get_rank()
    if rank < middle:
        up(tensor, first, middle)
    else:
        up(tensor, middle, last)
    if rank == middle:
        dist.send(tensor, first)
    elif rank == first:
        part = tensor.new_empty(tensor.shape)
        dist.recv(part, middle)
        tensor.add_(part)


def down(tensor: Tensor, first: int, last: int) -> None:
    if last - first < 2:
        return
    middle = first + (last - first + 1) // 2
    rank = dist.get_rank()
    if rank == first:
        dist.send(tensor, middle)
    elif rank == middle:
        dist.recv(tensor, first)
    if rank < middle:
        down(tensor, first, middle)
    else:
        down(tensor, middle, last)
