from torch import Tensor
from torch.distributed import get_rank, get_world_size, recv, send


def shift_right(tensor: Tensor) -> Tensor:
    """One rank that does it the other way round is enough to break the circle."""
    rank, size = get_rank(), get_world_size()
    out = tensor.clone()
    if size > 1 and rank == 0:
        recv(out, size - 1)
        send(tensor, 1)
    elif size > 1:
        send(tensor, (rank + 1) % size)
        recv(out, rank - 1)
    return out
