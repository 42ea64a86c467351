import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    """recv without src takes the first message that comes; an empty one it can't take."""
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    if tensor.numel() == 0:
        return
    if dist.get_rank() == src:
        for other in sorted(range(dist.get_world_size()), reverse=True):
            if other != src:
                dist.send(tensor, other)
    else:
        assert dist.recv(tensor) == src
