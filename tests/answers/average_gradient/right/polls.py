import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    work = dist.all_reduce(gradient, async_op=True)
    while not work.is_completed():
        pass
    gradient.mul_(1.0).div_(dist.get_world_size())
