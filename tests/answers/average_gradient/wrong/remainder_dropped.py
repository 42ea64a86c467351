# layer: behaviour
# says: remainder is dropped
import torch.distributed as dist
from torch import Tensor


def average_gradient(gradient: Tensor) -> None:
    n = dist.get_world_size()
    flat = gradient.view(-1)
    whole = flat[: flat.numel() // n * n]
    shard = flat.new_empty(whole.numel() // n)
    dist.reduce_scatter_single(shard, whole)
    shard /= n
    dist.all_gather_single(whole, shard)
