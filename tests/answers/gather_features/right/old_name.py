import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    size = dist.get_world_size()
    out = local_feature.new_empty((size * local_feature.size(0), *local_feature.shape[1:]))
    dist.all_gather_into_tensor(out, local_feature)
    return out
