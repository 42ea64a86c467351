# layer: behaviour
# says: What one sends is what the other receives
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    return (rank - step) % world_size, (rank - step + 1) % world_size
