def first_chunks(world_size: int) -> list[int]:
    evens = [chunk for chunk in range(world_size) if chunk % 2 == 0]
    odds = [chunk for chunk in range(world_size) if chunk % 2 == 1]
    return odds + evens


def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    first = first_chunks(world_size)
    print(f"rank {rank}, step {step}")
    return first[(rank - step) % world_size], first[(rank - step - 1) % world_size]
