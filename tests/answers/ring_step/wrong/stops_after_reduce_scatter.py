# layer: behaviour
# says: tuple of two ints
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    if step < world_size - 1:
        return (rank - step) % world_size, (rank - step - 1) % world_size
