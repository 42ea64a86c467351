# layer: behaviour
# says: multiply by it
def ring_time(world_size, nbytes, alpha, beta):
    transfer = nbytes / world_size / beta if beta else 0.0
    return 2 * (world_size - 1) * (alpha + transfer)
