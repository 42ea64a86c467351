# layer: behaviour
# says: alpha and beta are swapped
def ring_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1) * (beta + alpha * nbytes / world_size)
