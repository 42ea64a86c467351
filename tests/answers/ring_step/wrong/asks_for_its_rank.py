# layer: source
# says: torch
import torch.distributed as dist


def ring_step(rank: int, step: int, world_size: int) -> tuple[int, int]:
    rank, world_size = dist.get_rank(), dist.get_world_size()
    return (rank - step) % world_size, (rank - step - 1) % world_size
