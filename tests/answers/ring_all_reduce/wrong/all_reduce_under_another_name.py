# layer: source
# says: torch.distributed.all_reduce
from torch import Tensor
from torch.distributed import all_reduce as pass_round_the_ring


def ring_all_reduce(tensor: Tensor) -> None:
    pass_round_the_ring(tensor)
