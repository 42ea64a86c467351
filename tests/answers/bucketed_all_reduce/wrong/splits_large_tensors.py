# layer: traffic
# says: 3 are enough
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """Cuts at every bucket_bytes, through tensors if need be, which makes more buckets."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        for tensor in tensors:
            if tensor.dtype != dtype:
                continue
            length = max(1, bucket_bytes // tensor.element_size())
            for piece in tensor.view(-1).split(length):
                dist.all_reduce(piece)
