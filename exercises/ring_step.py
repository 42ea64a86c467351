# Lesson 03, exercise ring_step: One step of the ring.
# When it is written: ./course check ring_step work/ring_step.py
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    """Say which chunk `rank` sends to its right neighbour in `step`, and which it receives.

    The tensor is cut into `world_size` chunks, numbered from 0. In every step each rank sends
    one chunk to rank + 1 and receives one from rank - 1, round the ring, all at the same time.
    In the first world_size - 1 steps what arrives is added to the chunk that is there
    (reduce-scatter); in the rest it overwrites it (all-gather). After the last step every chunk
    must be complete on every rank: the sum of all the contributions, each counted once.

    Args:
        rank: 0 to world_size - 1.
        step: 0 to 2 * (world_size - 1) - 1.
        world_size: number of ranks, at least 2.

    Returns:
        (chunk to send right, chunk to receive from the left), both 0 to world_size - 1.
    """
    # TODO: your code here.
    raise NotImplementedError("ring_step is not written yet.")
