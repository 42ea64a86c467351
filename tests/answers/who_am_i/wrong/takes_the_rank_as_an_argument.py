# layer: source
# says: which the exercise does not give
def who_am_i(rank: int, world_size: int) -> tuple[int, int]:
    return rank, world_size
