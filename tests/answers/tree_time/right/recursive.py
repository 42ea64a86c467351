from functools import lru_cache


@lru_cache
def levels(ranks: int) -> int:
    return 0 if ranks == 1 else 1 + levels((ranks + 1) // 2)


def tree_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    up = down = levels(world_size) * (alpha + beta * nbytes)
    return up + down
