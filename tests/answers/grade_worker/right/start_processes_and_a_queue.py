import importlib.util
import os
import socket
import sys
import time
import uuid

import psutil
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils._python_dispatch import TorchDispatchMode


class Operations(TorchDispatchMode):
    """The operations of torch.distributed that really run, whatever they are called by."""

    def __init__(self):
        super().__init__()
        self.names = set()

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # or torch imports its compiler for this, in every rank

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "c10d":
            self.names.add(func._schema.name)
        return func(*args, **(kwargs or {}))


def entry(rank, path, world_size, mark, queue):
    sys.stdout = sys.stderr = open(os.devnull, "w")
    os.environ["MARK"] = mark
    spec = importlib.util.spec_from_file_location(f"worker_{mark}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with Operations() as seen:
        module.run_worker(rank, world_size)
    queue.put((mark, rank, {"c10d::allreduce_", "c10d::allgather_"} <= seen.names))


def sweep(mark):
    for process in psutil.process_iter():
        try:
            marked = process.environ().get("MARK") == mark
        except psutil.Error:
            continue
        if marked:
            process.kill()


def grade_worker(path, world_size, timeout):
    try:
        with open(path, "rb"):
            pass
    except OSError:
        return "could not be judged"
    end = time.monotonic() + timeout
    mark = uuid.uuid4().hex
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    method = "spawn" if torch.cuda.device_count() >= world_size else "fork"
    queue = mp.get_context(method).SimpleQueue()
    context = mp.start_processes(
        entry, (path, world_size, mark, queue), world_size, join=False, start_method=method
    )
    try:
        while not context.join(timeout=0.05, grace_period=0.2):
            if time.monotonic() > end:
                return "failed"
    except mp.ProcessException if hasattr(mp, "ProcessException") else Exception:
        return "failed"
    finally:
        for process in context.processes:
            process.kill()
            process.join()
        sweep(mark)
    receipts = set()
    while not queue.empty():
        receipts.add(queue.get())
    return "passed" if receipts == {(mark, r, True) for r in range(world_size)} else "failed"
