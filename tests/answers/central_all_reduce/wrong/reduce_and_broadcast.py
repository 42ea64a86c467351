# layer: source
# says: torch.distributed.reduce
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    dist.reduce(tensor, 0)
    dist.broadcast(tensor, 0)
