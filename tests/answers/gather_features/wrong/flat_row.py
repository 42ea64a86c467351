# layer: behaviour
# says: Give them the shape that is asked for
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    row = local_feature.new_empty(dist.get_world_size() * local_feature.numel())
    dist.all_gather_single(row, local_feature.view(-1))
    return row
