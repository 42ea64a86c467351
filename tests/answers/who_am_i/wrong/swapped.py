# layer: behaviour
# says: swapped
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    return dist.get_world_size(), dist.get_rank()
