from collections import deque


def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    ring = deque(range(world_size))
    ring.rotate(step)
    send = ring[rank]
    ring.rotate(1)
    return send, ring[rank]
