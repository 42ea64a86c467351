# layer: behaviour
# says: Every message is priced as the whole tensor
def ring_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1) * (alpha + beta * nbytes)
