import os
from datetime import timedelta

import torch
from torch import distributed as d
from torch.distributed import ReduceOp, all_gather_single, all_reduce as reduce_everywhere


def mean_over_ranks(tensor):
    reduce_everywhere(tensor, op=ReduceOp.AVG)
    return tensor


def gather(tensor, count):
    everything = tensor.new_empty(count * tensor.numel())
    all_gather_single(everything, tensor)
    return everything.view(count, -1)


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def run_worker(rank, world_size):
    gpus = torch.cuda.device_count()
    kind = "cuda" if gpus and gpus >= world_size else "cpu"
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", "29500")
    if kind == "cuda":
        torch.cuda.set_device(rank)
    d.init_process_group(
        {"cuda": "nccl", "cpu": "gloo"}[kind],
        init_method="env://",
        timeout=timedelta(seconds=60),
        world_size=world_size,
        rank=rank,
    )
    try:
        mean = mean_over_ranks(torch.full((1024,), rank + 1.0, device=kind))
        check(((mean - (world_size + 1) / 2).abs() < 1e-6).all(), f"mean on rank {rank}")
        rows = gather(torch.full((128,), float(rank), device=kind), world_size)
        for source, row in enumerate(rows):
            check((row == source).all(), f"rank {rank}, piece {source}")
        d.barrier()
    finally:
        if d.is_initialized():
            d.destroy_process_group()
