# layer: traffic
# says: times for the
# says: once is asked for
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    if len({tensor.device for tensor in tensors}) > 1:
        raise ValueError("tensors on different devices")
    for tensor in tensors:
        dist.all_reduce(tensor)
