import torch
import torch.distributed as dist
from torch import Tensor


def bucketed_all_reduce(tensors: list[Tensor], bucket_bytes: int) -> None:
    """One buffer of a bucket's bytes, seen in whatever dtype is needed."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    if bucket_bytes <= 0:
        raise ValueError("a bucket holds at least a byte")
    if not tensors:
        return
    room = max([bucket_bytes, *(tensor.nbytes for tensor in tensors)])
    room = min(room, sum(tensor.nbytes for tensor in tensors)) + 8
    memory = torch.empty(room // 8, dtype=torch.int64)
    start = 0
    while start < len(tensors):
        dtype, end, used = tensors[start].dtype, start, 0
        while end < len(tensors) and tensors[end].dtype == dtype:
            if used and used + tensors[end].nbytes > bucket_bytes:
                break
            used += tensors[end].nbytes
            end += 1
        bucket = tensors[start:end]
        flat = memory.view(dtype)[: used // tensors[start].element_size()]
        position = 0
        for tensor in bucket:
            flat[position : position + tensor.numel()] = tensor.view(-1)
            position += tensor.numel()
        if used:
            dist.all_reduce(flat)
        position = 0
        for tensor in bucket:
            tensor.view(-1)[:] = flat[position : position + tensor.numel()]
            position += tensor.numel()
        start = end
