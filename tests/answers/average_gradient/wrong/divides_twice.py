# layer: behaviour
# says: divided by the world size once more
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient, op=dist.ReduceOp.AVG)
    gradient /= dist.get_world_size()
