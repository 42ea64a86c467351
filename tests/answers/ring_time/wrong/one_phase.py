# layer: behaviour
# says: That is one of the two phases
def ring_time(world_size, nbytes, alpha, beta):
    return (world_size - 1) * (alpha + beta * nbytes / world_size)
