# layer: source
# says: broadcast
import torch.distributed as dist
from torch import Tensor


def broadcast_by_hand(tensor: Tensor, src: int) -> None:
    dist.broadcast(tensor, src)
