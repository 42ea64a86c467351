# layer: behaviour
# says: A tree sends the whole tensor in every message
def tree_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1).bit_length() * (alpha + beta * nbytes / world_size)
