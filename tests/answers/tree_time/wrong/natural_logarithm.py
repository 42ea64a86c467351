# layer: behaviour
# says: That is the natural logarithm
import math


def tree_time(world_size, nbytes, alpha, beta):
    return 2 * math.ceil(math.log(world_size)) * (alpha + beta * nbytes)
