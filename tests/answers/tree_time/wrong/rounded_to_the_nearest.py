# layer: behaviour
# says: it should be
import math


def tree_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    """Right for every number of ranks that is not just above a power of two."""
    return 2 * round(math.log2(world_size) + 0.2) * (alpha + beta * nbytes)
