import torch
import torch.distributed as dist


def run_worker(rank: int, world_size: int) -> None:
    """Do one rank's part: a mean by all_reduce, a concatenation by all_gather, both asserted.

    Runs in a process of its own, started by `mp.spawn(run_worker, args=(world_size,), ...)` in a
    program that has set MASTER_ADDR and MASTER_PORT. The process group is made here, by env://,
    with NCCL where every rank can have a GPU of its own and gloo elsewhere, and no group is left
    behind.

    Args:
        rank: of this process, 0 to world_size - 1.
        world_size: number of ranks, at least 1.

    Raises:
        AssertionError: the mean of torch.full((1024,), rank + 1) over the ranks, or the gathered
            torch.full((128,), rank), is not what it should be on this rank.
    """
    ### BEGIN SOLUTION
    # device_count is 0 where there is no CUDA.
    has_gpu = torch.cuda.device_count() >= world_size
    device = torch.device("cuda", rank) if has_gpu else torch.device("cpu")
    if has_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if has_gpu else "gloo", rank=rank, world_size=world_size)
    try:
        gradient = torch.full((1024,), float(rank + 1), device=device)
        dist.all_reduce(gradient)
        gradient /= world_size
        # 1 + 2 + ... + N is N(N + 1) / 2.
        mean = torch.full_like(gradient, (world_size + 1) / 2)
        assert torch.allclose(gradient, mean), f"rank {rank}: the mean is {gradient}"

        feature = torch.full((128,), float(rank), device=device)
        pieces = [torch.empty_like(feature) for _ in range(world_size)]
        dist.all_gather(pieces, feature)
        for source, piece in enumerate(pieces):
            wanted = torch.full_like(piece, float(source))
            assert torch.equal(piece, wanted), f"rank {rank}: piece {source} is {piece}"
    finally:
        dist.destroy_process_group()
    ### END SOLUTION
