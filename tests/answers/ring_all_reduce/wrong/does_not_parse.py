# layer: source
# says: line 8
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    for step in range(2 * (dist.get_world_size() - 1))
        print(step)
