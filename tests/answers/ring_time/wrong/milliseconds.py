# layer: behaviour
# says: it should be
def ring_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1) * (alpha + beta * nbytes / world_size) * 1000
