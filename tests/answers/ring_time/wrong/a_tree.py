# layer: behaviour
# says: That is a tree's time
def ring_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1).bit_length() * (alpha + beta * nbytes)
