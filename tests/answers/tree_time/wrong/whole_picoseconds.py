# layer: behaviour
# says: it should be
def tree_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    return 2 * (world_size - 1).bit_length() * round(alpha + beta * nbytes, 14)
