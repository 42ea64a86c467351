# layer: behaviour
# says: It returns something
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient)
    return gradient.div_(dist.get_world_size())
