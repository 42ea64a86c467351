# layer: behaviour
# says: At step 3
# says: not in it yet
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    return step % world_size, step % world_size
