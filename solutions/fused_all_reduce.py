import torch
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    """Sum every tensor of the list over all ranks, in place, with one all_reduce for each dtype.

    Args:
        tensors: the same shapes and dtypes in the same order on every rank. Dtypes may be mixed;
            tensors may be empty, of no dimension, or not contiguous; the list may be empty.

    Raises:
        ValueError: the tensors are on different devices; raised before anything is sent.

    Budget of each rank: exactly one all_reduce for each dtype in the list, of all its elements,
    padded to a multiple of 64 at most; for a dtype of which all tensors are empty one or none.
    """
    ### BEGIN SOLUTION
    devices = {tensor.device for tensor in tensors}
    if len(devices) > 1:
        raise ValueError(f"the tensors are on different devices: {sorted(map(str, devices))}")

    by_dtype: dict[torch.dtype, list[Tensor]] = {}
    for tensor in tensors:
        by_dtype.setdefault(tensor.dtype, []).append(tensor)

    # A dict keeps its order, so every rank goes through the dtypes in the same one.
    for group in by_dtype.values():
        fused = torch.cat([tensor.reshape(-1) for tensor in group])
        dist.all_reduce(fused)
        for tensor, part in zip(group, fused.split([each.numel() for each in group]), strict=True):
            # copy_ reaches the tensor's own memory, also where it is not contiguous.
            tensor.copy_(part.view_as(tensor))
    ### END SOLUTION
