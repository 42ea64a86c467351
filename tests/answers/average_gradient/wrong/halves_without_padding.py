# layer: behaviour
# says: 5 elements, float32
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    n = dist.get_world_size()
    flat = gradient.view(-1)
    shard = flat.new_empty(flat.numel() // n)
    dist.reduce_scatter_single(shard, flat)
    shard /= n
    dist.all_gather_single(flat, shard)
