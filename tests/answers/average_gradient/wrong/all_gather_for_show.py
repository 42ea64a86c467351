# layer: traffic
# says: elements into the reduce_scatter at line
import torch
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    """Every rank gets the whole sum from the reduce_scatter; what is gathered is scratch."""
    n = dist.get_world_size()
    whole = torch.empty_like(gradient)
    dist.reduce_scatter(whole, [gradient.clone() for _ in range(n)])
    dist.all_gather([torch.zeros(1) for _ in range(n)], torch.zeros(1))
    gradient.copy_(whole / n)
