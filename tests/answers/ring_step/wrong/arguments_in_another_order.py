# layer: source
# says: ring_step(rank
def ring_step(step: int, rank: int, world_size: int) -> tuple[int, int]:
    return (rank - step) % world_size, (rank - step - 1) % world_size
