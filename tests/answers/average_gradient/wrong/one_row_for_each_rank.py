# layer: traffic
# says: elements into the all_reduce at line
# says: padding included
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    """A table with a row for each rank, all but its own of zeros."""
    rows = gradient.new_zeros((dist.get_world_size(), *gradient.shape))
    rows[dist.get_rank()] = gradient
    dist.all_reduce(rows)
    gradient.copy_(rows.mean(0))
