from functools import cache


@cache
def sent(rank: int, step: int, world_size: int) -> int:
    if step == 0:
        return rank
    return sent((rank + world_size - 1) % world_size, step - 1, world_size)


def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    left = (rank + world_size - 1) % world_size
    return sent(rank, step, world_size), sent(left, step, world_size)
