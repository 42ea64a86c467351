# layer: behaviour
# says: alpha and beta are swapped
def tree_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1).bit_length() * (beta + alpha * nbytes)
