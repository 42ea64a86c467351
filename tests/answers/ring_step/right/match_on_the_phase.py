def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    match step, world_size:
        case (s, n) if s < n - 1:
            send, receive = ((rank - s - d) % n for d in range(2))
        case (s, n):
            k = s - (n - 1)
            send, receive = ((rank + 1 - k - d) % n for d in (0, 1))
    return send, receive
