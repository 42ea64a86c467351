# layer: source
# says: never calls `dist.all_reduce`, or a reduce_scatter and an all_gather. A call counts
import torch
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    parts = [torch.empty_like(gradient) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, gradient)
    gradient.copy_(torch.stack(parts).mean(dim=0))
