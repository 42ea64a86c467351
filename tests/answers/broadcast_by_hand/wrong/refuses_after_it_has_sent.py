# layer: behaviour
# says: before it raises ValueError
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    # The last rank is where every message would end, whoever src is.
    chain = [r for r in range(src, src + world_size)]
    if not 0 <= src < world_size:
        greeting = tensor.clone()
        if world_size > 1 and rank == 0:
            dist.send(greeting, 1)
        elif rank == 1:
            dist.recv(greeting, 0)
        raise ValueError(f"src={src}")
    place = (rank - src) % world_size
    if place > 0:
        dist.recv(tensor, chain[place - 1] % world_size)
    if place < world_size - 1:
        dist.send(tensor, chain[place + 1] % world_size)
