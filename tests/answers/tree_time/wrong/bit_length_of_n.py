# layer: behaviour
# says: it should be
def tree_time(world_size, nbytes, alpha, beta):
    return 2 * world_size.bit_length() * (alpha + beta * nbytes)
