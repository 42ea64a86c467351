def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    """Start one chunk earlier, so that rank r ends the reduce-scatter with chunk r."""
    return (rank - 1 - step) % world_size, (rank - 2 - step) % world_size
