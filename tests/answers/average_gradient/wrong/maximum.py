# layer: behaviour
# says: it should be
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient, op=dist.ReduceOp.MAX)
    gradient /= dist.get_world_size()
