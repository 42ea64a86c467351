# layer: behaviour
# says: Latency is counted once
def tree_time(world_size, nbytes, alpha, beta):
    return alpha + 2 * (world_size - 1).bit_length() * beta * nbytes
