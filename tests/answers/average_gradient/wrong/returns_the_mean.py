# layer: behaviour
# says: belongs into the tensor that was given
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    mean = gradient.clone()
    dist.all_reduce(mean)
    return mean / dist.get_world_size()
