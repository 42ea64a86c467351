import torch.nn.functional as F
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    n = dist.get_world_size()
    flat = F.pad(gradient.view(-1), (0, -gradient.numel() % n))
    shard = flat.new_empty(flat.numel() // n)
    dist.reduce_scatter_tensor(shard, flat)
    shard /= n
    dist.all_gather_into_tensor(flat, shard)
    gradient.copy_(flat[: gradient.numel()].view_as(gradient))
