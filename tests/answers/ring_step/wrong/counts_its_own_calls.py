# layer: behaviour
# says: asked twice
import torch
import torch.distributed as dist

calls = {}
def ring_step(rank, step, world_size):
    k = calls.get(rank, 0)
    calls[rank] = k + 1
    return (rank - k) % world_size, (rank - k - 1) % world_size
