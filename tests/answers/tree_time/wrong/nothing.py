# layer: behaviour
# says: A float is asked for
def tree_time(world_size, nbytes, alpha, beta):
    seconds = 2 * (world_size - 1).bit_length() * (alpha + beta * nbytes)
