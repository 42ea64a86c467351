# layer: behaviour
# says: 3 ranks
import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    pieces = [torch.empty_like(local_feature) for _ in range(4)]
    dist.all_gather(pieces, local_feature)
    return torch.cat(pieces)
