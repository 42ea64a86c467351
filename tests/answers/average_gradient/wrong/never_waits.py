# layer: traffic
# says: never waits for its all_reduce
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    gradient /= dist.get_world_size()
    dist.all_reduce(gradient, async_op=True)
