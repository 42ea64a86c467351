# layer: behaviour
# says: What one sends is what the other receives
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    chunk = (rank - step) % world_size
    return chunk, chunk
