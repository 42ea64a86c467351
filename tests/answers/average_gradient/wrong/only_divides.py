# layer: source
# says: never calls `dist.all_reduce`, or a reduce_scatter and an all_gather.
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    gradient /= dist.get_world_size()
