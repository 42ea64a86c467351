import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    gradient *= 1 / dist.get_world_size()
    dist.all_reduce(gradient)
