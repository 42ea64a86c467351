# layer: source
# says: time
import time


def ring_time(world_size, nbytes, alpha, beta):
    return time.perf_counter()
