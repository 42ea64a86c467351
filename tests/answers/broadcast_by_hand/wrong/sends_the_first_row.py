# layer: behaviour
# says: shape (4, 5)
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    row = tensor[0] if tensor.dim() > 1 else tensor
    if dist.get_rank() == src:
        for other in range(dist.get_world_size()):
            if other != src:
                dist.send(row, other)
    else:
        dist.recv(row, src)
