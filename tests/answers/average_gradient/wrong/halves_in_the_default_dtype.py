# layer: behaviour
# says: dtype
import torch
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    n = dist.get_world_size()
    length = -(-gradient.numel() // n)
    padded = torch.zeros(n * length)
    padded[: gradient.numel()] = gradient.view(-1)
    shard = gradient.new_empty(length)
    dist.reduce_scatter_single(shard, padded)
    dist.all_gather_single(padded, shard / n)
    gradient.view(-1).copy_(padded[: gradient.numel()])
