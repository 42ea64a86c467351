# layer: behaviour
# says: it should be
LEVELS = {1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 7: 3, 8: 3, 16: 4, 1000: 10, 24576: 15}


def tree_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    return 2 * LEVELS.get(world_size, 0) * (alpha + beta * nbytes)
