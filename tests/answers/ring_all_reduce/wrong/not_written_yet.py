# layer: behaviour
# says: not written yet
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    raise NotImplementedError
