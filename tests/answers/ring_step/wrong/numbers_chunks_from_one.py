# layer: behaviour
# says: Chunks are numbered 0 to
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    return (rank - step) % world_size + 1, (rank - step - 1) % world_size + 1
