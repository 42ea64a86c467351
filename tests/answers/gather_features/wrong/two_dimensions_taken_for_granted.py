# layer: behaviour
# says: line 9
import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    rows, columns = local_feature.shape
    result = local_feature.new_empty(dist.get_world_size() * rows, columns)
    dist.all_gather_single(result, local_feature)
    return result
