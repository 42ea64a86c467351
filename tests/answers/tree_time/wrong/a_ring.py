# layer: behaviour
# says: That is a ring's time
def tree_time(world_size, nbytes, alpha, beta):
    return 2 * (world_size - 1) * (alpha + beta * nbytes / world_size)
