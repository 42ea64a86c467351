# layer: behaviour
# says: Line 8 gives the name `gradient` to something new
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    gradient = gradient / dist.get_world_size()
    dist.all_reduce(gradient)
