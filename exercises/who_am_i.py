# Lesson 00, exercise who_am_i: Who am I?.
# When it is written: ./course check who_am_i work/who_am_i.py
import torch.distributed as dist


def who_am_i() -> tuple[int, int]:
    """Say who this process is among the ranks.

    Runs on every rank of an initialised process group.

    Returns:
        (rank, world size): two plain ints, for example (2, 4) on rank 2 of four.
    """
    # TODO: your code here.
    raise NotImplementedError("who_am_i is not written yet.")
