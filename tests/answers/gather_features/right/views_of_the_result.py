import torch.distributed as dist
from torch import Tensor


def gather_features(local_feature: Tensor) -> Tensor:
    size = dist.get_world_size()
    result = local_feature.repeat(size, *[1] * (local_feature.dim() - 1))
    rows = local_feature.shape[0]
    work = dist.all_gather(
        [result[rank * rows : (rank + 1) * rows] for rank in range(size)],
        local_feature,
        async_op=True,
    )
    work.wait()
    return result
