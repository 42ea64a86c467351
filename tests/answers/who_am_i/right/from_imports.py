from torch.distributed import get_rank as rank
from torch.distributed import get_world_size


def who_am_i() -> tuple[int, int]:
    return (rank(), get_world_size())
