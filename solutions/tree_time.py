def tree_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    """Predict the time of an all-reduce that reduces up a tree and broadcasts down.

    ceil(log2 N) levels, each passed twice by a message with the whole tensor.

    Args:
        world_size: number of ranks N, from 1 to tens of thousands.
        nbytes: bytes of the tensor.
        alpha: latency of a message, in seconds.
        beta: seconds a byte.

    Returns:
        Seconds; 0 for one rank.
    """
    ### BEGIN SOLUTION
    levels = (world_size - 1).bit_length()  # ceil(log2 N), exactly
    return 2 * levels * (alpha + beta * nbytes)
    ### END SOLUTION
