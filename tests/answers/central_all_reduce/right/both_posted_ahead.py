import torch
import torch.distributed as dist
from torch import Tensor


def central_all_reduce(tensor: Tensor) -> None:
    """The others post the receive of the sum together with their send."""
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        total = tensor.clone()
        buffer = torch.empty_like(tensor)
        for other in reversed(range(1, size)):
            dist.irecv(buffer, other).wait()
            total += buffer
        tensor.copy_(total)
        operations = [dist.P2POp(dist.isend, tensor, other) for other in range(1, size)]
    else:
        total = torch.empty_like(tensor)
        operations = [dist.P2POp(dist.isend, tensor, 0), dist.P2POp(dist.irecv, total, 0)]
    if operations:
        for work in dist.batch_isend_irecv(operations):
            work.wait()
    tensor.copy_(total)
