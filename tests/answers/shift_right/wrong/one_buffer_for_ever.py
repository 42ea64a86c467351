# layer: behaviour
# says: the tensor that the call before returned has other values now
import torch
import torch.distributed as dist
from torch import Tensor

BUFFERS: dict[tuple[object, ...], Tensor] = {}


def shift_right(tensor: Tensor) -> Tensor:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    key = (tensor.dtype, tensor.shape)
    if key not in BUFFERS:
        BUFFERS[key] = torch.empty_like(tensor)
    arriving = BUFFERS[key]
    if world_size == 1:
        return arriving.copy_(tensor)
    sending = dist.isend(tensor, (rank + 1) % world_size)
    dist.recv(arriving, (rank - 1) % world_size)
    sending.wait()
    return arriving
