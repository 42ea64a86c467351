# layer: behaviour
# says: -1
# says: Chunks are numbered 0 to
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    return rank - step, rank - step - 1
