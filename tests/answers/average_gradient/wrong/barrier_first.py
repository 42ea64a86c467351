# layer: source
# says: barrier
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.barrier()
    dist.all_reduce(gradient)
    gradient /= dist.get_world_size()
