# layer: behaviour
# says: the rank is another process's
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    return dist.get_rank() + 1, dist.get_world_size()
