import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """Empty tensors open and close buckets like any other."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    bucket: list[Tensor] = []
    free = bucket_bytes
    for tensor in [*tensors, None]:
        last = tensor is None
        if bucket and (last or tensor.nbytes > free or tensor.dtype is not bucket[-1].dtype):
            flat = torch.cat([each.reshape(-1) for each in bucket])
            dist.all_reduce(flat)
            for each, part in zip(bucket, flat.split([each.numel() for each in bucket])):
                each.copy_(part.view(each.shape))
            bucket, free = [], bucket_bytes
        if not last:
            bucket.append(tensor)
            free -= tensor.nbytes
