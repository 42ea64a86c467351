import torch
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    n = dist.get_world_size()
    if n == 1 or gradient.numel() == 0:
        return
    length = -(-gradient.numel() // n)
    padded = gradient.new_zeros(n * length)
    padded[: gradient.numel()] = gradient.reshape(-1)
    parts = list(padded.chunk(n))
    mine = torch.empty_like(parts[0])
    dist.reduce_scatter(mine, parts, op=dist.ReduceOp.AVG)
    dist.all_gather(parts, mine)
    gradient.view(-1).copy_(torch.cat(parts)[: gradient.numel()])
