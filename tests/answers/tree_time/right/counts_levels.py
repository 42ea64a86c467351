def tree_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    seconds, reached = 0.0, 1
    while reached < world_size:
        seconds += 2 * (alpha + beta * nbytes)
        reached *= 2
    return seconds
