import torch
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    ranks = torch.ones(1, dtype=torch.int64)
    dist.all_reduce(ranks)
    return dist.get_rank(), int(ranks.item())
