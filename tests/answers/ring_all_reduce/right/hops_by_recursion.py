from functools import partial

import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    """Every step calls the next one."""
    r, n = (ask() for ask in (dist.get_rank, dist.get_world_size))
    if not n - 1:
        return
    row = tensor.view(-1)
    size, extra = divmod(row.numel(), n)
    starts = [k * size + min(k, extra) for k in range(n + 1)]
    room = row.new_empty((size + bool(extra),))
    send, receive = partial(dist.isend, dst=(r + 1) % n), partial(dist.irecv, src=(r - 1) % n)
    calls = 0

    def hop(s: int) -> None:
        nonlocal calls
        calls += 1
        if s == 2 * n - 2:
            return None
        at = slice(*[starts[(r - s - 1) % n + d] for d in (0, 1)])
        out = slice(*[starts[(r - s) % n + d] for d in (0, 1)])
        x = room[: at.stop - at.start]
        sent, received = send(row[out]), receive(x)
        received.wait()
        sent.wait()
        row[at] = row[at] + x if s < n - 1 else x
        return hop(s + 1)

    hop(0)
