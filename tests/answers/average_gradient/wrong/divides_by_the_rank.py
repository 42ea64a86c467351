# layer: behaviour
# says: it should be
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient)
    gradient /= dist.get_rank() + 1
