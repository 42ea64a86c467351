# layer: source
# says: all_reduce
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    gradient /= dist.get_world_size()
