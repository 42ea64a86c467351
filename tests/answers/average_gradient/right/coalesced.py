import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    with dist._coalescing_manager():
        dist.all_reduce(gradient)
    gradient /= dist.get_world_size()
