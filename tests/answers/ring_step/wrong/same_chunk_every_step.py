# layer: behaviour
# says: is in there already
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    return rank, (rank - 1) % world_size
