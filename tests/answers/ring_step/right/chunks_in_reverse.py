def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    place = (rank - step) % world_size
    return world_size - 1 - place, world_size - 1 - (place - 1) % world_size
