# layer: behaviour
# says: src=1
# says: destination rank should not be the same
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    if dist.get_rank() == src:
        for other in range(1, dist.get_world_size()):
            dist.send(tensor, other)
    else:
        dist.recv(tensor, src)
