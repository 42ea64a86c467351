# layer: behaviour
# says: It is the sum over the ranks; the mean is asked for
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient)
