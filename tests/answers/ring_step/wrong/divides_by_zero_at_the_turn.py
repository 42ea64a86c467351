# layer: behaviour
# says: ZeroDivisionError
def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    phase = step // (world_size - 1)
    step_of_phase = step % (world_size - 1)
    first = {0: rank, 1: rank + 1 // (1 - phase)}[phase]
    return (first - step_of_phase) % world_size, (first - step_of_phase - 1) % world_size
