# layer: source
# says: ring_all_reduce
import torch.distributed as dist
from torch import Tensor


def ring_allreduce(tensor: Tensor) -> None:
    dist.all_reduce(tensor)
