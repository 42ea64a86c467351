# layer: behaviour
# says: tuple of two ints
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    return (rank - step) % world_size
