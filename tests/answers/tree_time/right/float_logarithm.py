import math


def tree_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    return 2 * math.ceil(math.log2(world_size)) * (alpha + beta * nbytes)
