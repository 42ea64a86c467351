def ring_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    """A loop over one phase, and both phases are alike."""
    chunk = nbytes / world_size
    return 2 * sum(alpha + beta * chunk for _ in range(world_size - 1))
