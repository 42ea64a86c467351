# layer: behaviour
# says: float64
import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    pieces = [torch.empty(local_feature.shape) for _ in range(dist.get_world_size())]
    dist.all_gather(pieces, local_feature)
    return torch.cat(pieces)
