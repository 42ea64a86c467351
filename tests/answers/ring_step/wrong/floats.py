# layer: behaviour
# says: tuple of two ints
import math


def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    turns = math.floor((rank - step) / world_size)
    return float(rank - step - turns * world_size), (rank - step - 1) % world_size
