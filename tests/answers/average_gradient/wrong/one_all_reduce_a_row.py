# layer: traffic
# says: One all_reduce is enough
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    for row in gradient.view(-1).tensor_split(2):
        dist.all_reduce(row)
    gradient /= dist.get_world_size()
