def ring_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    """Predict the time of an all-reduce by a ring.

    2(N - 1) steps, in each of which a rank sends one chunk of nbytes / N bytes.

    Args:
        world_size: number of ranks N, from 1 to tens of thousands.
        nbytes: bytes of the tensor.
        alpha: latency of a message, in seconds.
        beta: seconds a byte.

    Returns:
        Seconds; 0 for one rank.
    """
    ### BEGIN SOLUTION
    steps = 2 * (world_size - 1)
    return steps * (alpha + beta * nbytes / world_size)
    ### END SOLUTION
