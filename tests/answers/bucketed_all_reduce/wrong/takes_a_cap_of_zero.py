# layer: behaviour
# says: holds nothing
# says: raise ValueError
from collections.abc import Iterator

import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    devices = {tensor.device for tensor in tensors}
    if len(devices) > 1:
        raise ValueError(f"the tensors are on different devices: {sorted(map(str, devices))}")

    def buckets() -> Iterator[list[Tensor]]:
        bucket: list[Tensor] = []
        size = 0
        for tensor in tensors:
            if tensor.numel() == 0:
                continue
            fits = size + tensor.nbytes <= bucket_bytes
            if bucket and not (fits and tensor.dtype == bucket[0].dtype):
                yield bucket
                bucket, size = [], 0
            bucket.append(tensor)
            size += tensor.nbytes
        if bucket:
            yield bucket

    for bucket in buckets():
        fused = torch.cat([tensor.view(-1) for tensor in bucket])
        dist.all_reduce(fused)
        parts = fused.split([tensor.numel() for tensor in bucket])
        for tensor, part in zip(bucket, parts, strict=True):
            tensor.copy_(part.view_as(tensor))
