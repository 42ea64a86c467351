# layer: behaviour
# says: is not a rank of
# says: raise ValueError
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if rank != src:
        dist.recv(tensor, src)
        return
    sending = [dist.isend(tensor, other) for other in range(world_size) if other != src]
    for work in sending:
        work.wait()
