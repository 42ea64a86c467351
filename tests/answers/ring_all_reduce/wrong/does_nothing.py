# layer: traffic
# says: No message was sent on 4 ranks
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    pass
