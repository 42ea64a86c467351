# layer: traffic
# says: 3 are enough
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    for tensor in tensors:
        dist.all_reduce(tensor)
