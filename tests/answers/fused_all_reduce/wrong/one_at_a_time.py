# layer: traffic
# says: times for the
# says: once is asked for
import torch.distributed as dist
from torch import Tensor


def fused_all_reduce(tensors: list[Tensor]) -> None:
    for tensor in tensors:
        dist.all_reduce(tensor)
