import torch
import torch.distributed as dist


def run_worker(rank: int, world_size: int) -> None:
    enough = dist.is_nccl_available() and torch.cuda.device_count() >= world_size
    where = f"cuda:{rank}" if enough else "cpu"
    dist.init_process_group(
        backend="cpu:gloo,cuda:nccl" if enough else "gloo", world_size=world_size, rank=rank
    )
    wrong = []
    try:
        summed = torch.full((1024,), rank + 1, device=where)
        dist.all_reduce(summed)
        means = [value / world_size for value in summed.tolist()]
        if means != [(world_size + 1) / 2] * 1024:
            wrong.append("mean")
        mine = torch.full((128,), float(rank), device=where)
        parts = [mine] * 0 + [torch.zeros(128, device=where) for _ in range(world_size)]
        dist.all_gather(parts, mine)
        if [value for part in parts for value in part.tolist()] != [
            float(source) for source in range(world_size) for _ in range(128)
        ]:
            wrong.append("features")
        everybody = torch.tensor([len(wrong)], device=where)
        dist.all_reduce(everybody)
        assert everybody.item() == 0, f"{wrong} on rank {rank}, {everybody.item()} in all"
    finally:
        dist.destroy_process_group()
