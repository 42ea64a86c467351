# layer: behaviour
# says: tuple of two plain ints
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    return float(dist.get_rank()), float(dist.get_world_size())
