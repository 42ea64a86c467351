# layer: behaviour
# says: That counts N steps
def ring_time(world_size, nbytes, alpha, beta):
    return 2 * world_size * (alpha + beta * nbytes / world_size)
