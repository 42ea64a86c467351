# layer: behaviour
# says: returns None
# says: tuple of two plain ints
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    print(dist.get_rank(), dist.get_world_size())
