import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    me, n = dist.get_rank(), dist.get_world_size()
    pieces = tensor.view(-1).tensor_split(n)
    for k in range(n - 1):
        mine = pieces[(me - 2 - k) % n]
        theirs = torch.empty_like(mine)
        going = dist.isend(pieces[(me - 1 - k) % n], dst=(me + 1) % n)
        coming = dist.irecv(theirs, src=(me - 1) % n)
        coming.wait()
        mine.add_(theirs)
        going.wait()
    for k in range(n - 1):
        going = dist.isend(pieces[(me - k) % n], dst=(me + 1) % n)
        dist.recv(pieces[(me - k - 1) % n], src=(me - 1) % n)
        going.wait()
