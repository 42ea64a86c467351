# layer: behaviour
# says: Every chunk of the result is rank
import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    pieces = [torch.empty_like(local_feature)] * dist.get_world_size()
    dist.all_gather(pieces, local_feature)
    return torch.cat(pieces)
