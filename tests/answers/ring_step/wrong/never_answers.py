# layer: behaviour
# says: did not finish in
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    chunk = rank - step
    while chunk < 0:
        chunk -= world_size
    return chunk, (chunk - 1) % world_size
