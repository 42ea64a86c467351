# layer: behaviour
# says: tuple of two plain ints
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    return f"I am rank {dist.get_rank()} of {dist.get_world_size()}"
