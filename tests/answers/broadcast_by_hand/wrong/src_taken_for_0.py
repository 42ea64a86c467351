# layer: behaviour
# says: src=1
# says: Everywhere it is what rank 0 had; rank 1
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    if dist.get_rank() == 0:
        for other in range(1, dist.get_world_size()):
            dist.send(tensor, other)
    else:
        dist.recv(tensor, 0)
