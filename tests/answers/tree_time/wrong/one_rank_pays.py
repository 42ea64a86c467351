# layer: behaviour
# says: One rank has nobody to talk to
def tree_time(world_size, nbytes, alpha, beta):
    return 2 * max(1, (world_size - 1).bit_length()) * (alpha + beta * nbytes)
