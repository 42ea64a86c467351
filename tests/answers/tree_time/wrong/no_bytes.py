# layer: behaviour
# says: The bytes are left out
def tree_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1).bit_length() * alpha
