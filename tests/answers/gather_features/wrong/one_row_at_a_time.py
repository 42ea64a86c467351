# layer: traffic
# says: One all_gather is enough
import torch
import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    size = dist.get_world_size()
    result = local_feature.new_empty((size, *local_feature.shape))
    for i in range(local_feature.shape[0]):
        pieces = [torch.empty_like(local_feature[i]) for _ in range(size)]
        dist.all_gather(pieces, local_feature[i])
        for rank in range(size):
            result[rank, i] = pieces[rank]
    return result.flatten(0, 1)
