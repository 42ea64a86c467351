# layer: behaviour
# says: the number of ranks is not
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    return dist.get_rank(), dist.get_world_size() - 1
