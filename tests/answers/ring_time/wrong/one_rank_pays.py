# layer: behaviour
# says: One rank has nobody to talk to
def ring_time(world_size, nbytes, alpha, beta):
    steps = max(1, 2 * (world_size - 1))
    return steps * (alpha + beta * nbytes / world_size)
