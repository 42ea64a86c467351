# layer: behaviour
# says: Latency is counted once
def ring_time(world_size, nbytes, alpha, beta):
    return alpha + 2 * (world_size - 1) * beta * nbytes / world_size
