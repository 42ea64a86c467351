import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """One coalesced all_reduce for each dtype; what it takes must be contiguous."""
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for dtype in sorted({tensor.dtype for tensor in tensors}, key=str):
        group = [tensor for tensor in tensors if tensor.dtype == dtype]
        dense = [tensor.contiguous() for tensor in group]
        with dist._coalescing_manager():
            for tensor in dense:
                dist.all_reduce(tensor)
        for tensor, total in zip(group, dense):
            if tensor is not total:
                tensor.copy_(total)
