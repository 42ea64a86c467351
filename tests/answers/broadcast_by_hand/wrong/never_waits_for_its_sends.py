# layer: behaviour
# says: never waits for it
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    if dist.get_rank() == src:
        for other in range(dist.get_world_size()):
            if other != src:
                dist.isend(tensor, other)
    else:
        dist.recv(tensor, src)
