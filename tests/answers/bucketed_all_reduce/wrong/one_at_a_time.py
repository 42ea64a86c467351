# layer: traffic
# says: 3 are enough
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    for tensor in tensors:
        dist.all_reduce(tensor)
