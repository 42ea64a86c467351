# layer: traffic
# says: That is src
import torch
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    rank, token = dist.get_rank(), torch.zeros(1)
    for other in range(dist.get_world_size()):
        if other == src:
            continue
        if rank == src:
            dist.send(tensor, other)
            dist.recv(token, other)
        elif rank == other:
            dist.recv(tensor, src)
            dist.send(token, src)
