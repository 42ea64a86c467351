# layer: behaviour
# says: Line 9 gives the name `gradient` to something new
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient)
    gradient = gradient / dist.get_world_size()
