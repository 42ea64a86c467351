# layer: behaviour
# says: can't be run
import torch
import torch.distributed as dist

if dist.is_initialized():
    raise ValueError("only in the ranks")
def who_am_i():
    return 0, 0
