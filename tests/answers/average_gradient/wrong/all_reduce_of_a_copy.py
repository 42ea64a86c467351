# layer: behaviour
# says: its own gradient by the world size
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient.clone())
    gradient /= dist.get_world_size()
