# layer: traffic
# says: Filled in list order
import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """Puts a tensor into the first bucket that has room, wherever that is in the list."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    plan: list[list[Tensor]] = []
    for tensor in tensors:
        for bucket in plan:
            used = sum(each.nbytes for each in bucket)
            if bucket[0].dtype == tensor.dtype and used + tensor.nbytes <= bucket_bytes:
                bucket.append(tensor)
                break
        else:
            plan.append([tensor])
    for bucket in plan:
        flat = torch.cat([tensor.view(-1) for tensor in bucket])
        dist.all_reduce(flat)
        for tensor, part in zip(bucket, flat.split([each.numel() for each in bucket])):
            tensor.copy_(part.view_as(tensor))
