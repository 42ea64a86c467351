# layer: source
# says: torch.distributed.all_reduce
from functools import partial

import torch.distributed as dist
from torch import Tensor

total = partial(dist.all_reduce, op=dist.ReduceOp.SUM)


def add_up(tensor: Tensor) -> None:
    total(tensor)


def ring_all_reduce(tensor: Tensor) -> None:
    add_up(tensor)
