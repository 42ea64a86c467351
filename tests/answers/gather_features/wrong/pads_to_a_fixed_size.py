# layer: traffic
# says: puts 10000 elements into the all_gather at line
# says: padding included
import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    n = local_feature.numel()
    padded = local_feature.new_zeros(max(n, 10_000))
    padded[:n] = local_feature.reshape(-1)
    parts = [torch.empty_like(padded) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, padded)
    return torch.cat([part[:n].view_as(local_feature) for part in parts])
