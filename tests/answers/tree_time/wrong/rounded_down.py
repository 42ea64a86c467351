# layer: behaviour
# says: log2 N is rounded down
import math


def tree_time(world_size, nbytes, alpha, beta):
    return 2 * int(math.log2(world_size)) * (alpha + beta * nbytes)
