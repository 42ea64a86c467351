import contextlib
import time

import torch
import torch.distributed as dist


@contextlib.contextmanager
def group(rank, world_size):
    dist.init_process_group(rank=rank, world_size=world_size)
    try:
        yield
    finally:
        dist.destroy_process_group()


def run_worker(rank, world_size):
    """No backend named: torch takes the right one for each device."""
    with group(rank, world_size):
        begin = time.perf_counter()
        gradient = torch.full((1024,), float(rank + 1)) / world_size
        feature = torch.full((128,), rank, dtype=torch.int64)
        pieces = [torch.empty_like(feature) for _ in range(world_size)]
        works = [
            dist.all_reduce(gradient, async_op=True),
            dist.all_gather(pieces, feature, async_op=True),
        ]
        for work in works:
            work.wait()
        torch.testing.assert_close(gradient, torch.full_like(gradient, (1 + world_size) / 2))
        gathered = torch.stack(pieces)
        torch.testing.assert_close(
            gathered, torch.arange(world_size)[:, None].expand_as(gathered)
        )
        if rank == 0:
            print(f"{1e3 * (time.perf_counter() - begin):.1f} ms", gradient[:4].tolist())
