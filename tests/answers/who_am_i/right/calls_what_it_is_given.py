import torch.distributed

answers = lambda *ask: tuple(one() for one in ask)  # noqa: E731


def who_am_i() -> tuple[int, int]:
    return answers(torch.distributed.get_rank, torch.distributed.get_world_size)
