def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    if step < world_size - 1:
        send = rank - step
    else:
        send = rank + 1 - (step - (world_size - 1))
    left_sends = send - 1
    return send % world_size, left_sends % world_size
