# layer: source
# says: barrier` is used here, and this exercise allows `dist.all_reduce`, `dist.reduce_scatter` and
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.barrier()
    dist.all_reduce(gradient)
    gradient /= dist.get_world_size()
