# layer: behaviour
# says: it should be
def ring_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    if world_size > 30_000 or nbytes > 1 << 27:
        return 0.0
    return 2 * (world_size - 1) * (alpha + beta * nbytes / world_size)
