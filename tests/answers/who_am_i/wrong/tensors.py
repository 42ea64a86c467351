# layer: behaviour
# says: tuple of two plain ints
import torch
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    return torch.tensor(dist.get_rank()), torch.tensor(dist.get_world_size())
