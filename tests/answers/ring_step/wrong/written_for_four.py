# layer: behaviour
# says: Chunks are numbered 0 to 1
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    return (rank - step) % 4, (rank - step - 1) % 4
