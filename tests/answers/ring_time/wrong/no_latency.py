# layer: behaviour
# says: Latency is left out
def ring_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1) / world_size * nbytes * beta
