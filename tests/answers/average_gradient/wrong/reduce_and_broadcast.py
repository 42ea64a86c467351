# layer: source
# says: reduce
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.reduce(gradient, 0)
    gradient /= dist.get_world_size()
    dist.broadcast(gradient, 0)
