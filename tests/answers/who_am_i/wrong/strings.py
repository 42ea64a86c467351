# layer: behaviour
# says: tuple of two plain ints
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    return str(dist.get_rank()), str(dist.get_world_size())
