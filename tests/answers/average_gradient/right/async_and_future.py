import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    work = dist.all_reduce(gradient, async_op=True)
    work.get_future().then(lambda future: gradient.div_(dist.get_world_size())).wait()
