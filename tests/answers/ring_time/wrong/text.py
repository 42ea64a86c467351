# layer: behaviour
# says: A float is asked for
def ring_time(world_size, nbytes, alpha, beta):
    return f"{2 * (world_size - 1) * (alpha + beta * nbytes / world_size):.6f} s"
