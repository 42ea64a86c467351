import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil


def grade_worker(path: str, world_size: int, timeout: float) -> str:
    """Grade the file at `path`, which should define run_worker(rank, world_size).

    run_worker is called in `world_size` processes, one for each rank, with MASTER_ADDR and
    MASTER_PORT set to a free port of this machine. It makes its own process group: with NCCL where
    every rank can have a GPU of its own, so the processes must be able to use CUDA there.

    Args:
        path: of the file to grade.
        world_size: number of ranks, at least 1.
        timeout: seconds after which whoever has not finished has failed.

    Returns:
        "passed" if on every rank run_worker returned, and has called dist.all_reduce and
            dist.all_gather, under whatever names;
        "failed" if not: it raised, crashed, ended its process (also with exit code 0), did no
            communication, was not done in time, or the file has no run_worker that can be loaded;
        "could not be judged" if nothing can be said about the code: there is no file at `path`,
            or it can't be read.

    Answers at most 5 seconds after the timeout, and no process it has started is left then.
    """
    ### BEGIN SOLUTION
    # Runs as a program of its own: what it starts can then be killed with it, and a function that
    # was defined in a notebook could not be started by mp.spawn.
    PROGRAM = """
import importlib.util
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORK = ("all_reduce", "all_gather")


def counted(name, calls):
    plain = getattr(dist, name)

    def call(*args, **kwargs):
        calls.add(name)
        return plain(*args, **kwargs)

    return call


def run_rank(rank, path, world_size, receipts, nonce):
    calls = set()
    # Before the file is loaded, so that its own imports of these names find the counted ones.
    for name in WORK:
        setattr(dist, name, counted(name, calls))
    spec = importlib.util.spec_from_file_location("worker", path)
    answer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(answer)
    answer.run_worker(rank, world_size)
    if calls.issuperset(WORK):
        Path(receipts, str(rank)).write_text(nonce)


if __name__ == "__main__":
    path, world_size, receipts, nonce = sys.argv[1:]
    world_size = int(world_size)
    # A forked process can't use CUDA; without it, forking saves each rank the import of torch.
    uses_gpus = torch.cuda.device_count() >= world_size
    start = "fork" if sys.platform == "linux" and not uses_gpus else "spawn"
    arguments = (path, world_size, receipts, nonce)
    mp.start_processes(run_rank, args=arguments, nprocs=world_size, start_method=start)
"""

    def free_port() -> int:
        """A port that nobody uses now: the system's choice."""
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            return listener.getsockname()[1]

    def kill_marked(mark: str) -> None:
        """Kill every process that has inherited the mark in its environment, until none is left."""
        end = time.monotonic() + 3
        while time.monotonic() < end:
            marked = []
            for process in psutil.process_iter():
                try:
                    if process.environ().get("GRADER_MARK") == mark:
                        marked.append(process)
                        process.kill()
                except psutil.Error:
                    # It ended meanwhile, or is somebody else's.
                    continue
            if not marked:
                return
            time.sleep(0.02)

    try:
        Path(path).read_bytes()
    except OSError:
        return "could not be judged"
    nonce, mark = secrets.token_hex(16), secrets.token_hex(16)
    settings = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "GRADER_MARK": mark}
    with tempfile.TemporaryDirectory() as folder:
        program, receipts = Path(folder, "program.py"), Path(folder, "receipts")
        program.write_text(PROGRAM)
        receipts.mkdir()
        graded = subprocess.Popen(
            [sys.executable, program, path, str(world_size), receipts, nonce],
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            graded.wait(timeout)
        except subprocess.TimeoutExpired:
            pass
        finally:
            kill_marked(mark)
            graded.wait()
        told = {receipt.name: receipt.read_text() for receipt in receipts.iterdir()}
    # Positive results alone: a receipt from every rank.
    complete = told == {str(rank): nonce for rank in range(world_size)}
    return "passed" if complete and graded.returncode == 0 else "failed"
    ### END SOLUTION
