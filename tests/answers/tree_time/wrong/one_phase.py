# layer: behaviour
# says: That is one of the two phases
def tree_time(world_size, nbytes, alpha, beta):
    return (world_size - 1).bit_length() * (alpha + beta * nbytes)
