# layer: behaviour
# says: shape
import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    parts = [torch.empty_like(local_feature) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, local_feature)
    return torch.cat(parts[:4])
