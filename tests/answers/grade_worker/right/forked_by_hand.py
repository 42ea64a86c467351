import contextlib
import ctypes
import json
import os
import runpy
import secrets
import signal
import socket
import tempfile
import threading
import time

import psutil
import torch.distributed as dist

SUBREAPER = 36


def port_of_the_system():
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as sock:
        sock.bind(("", 0))
        return str(sock.getsockname()[1])


def in_child(path, rank, world_size, folder):
    """Never returns: what runs here must not go on in the grader's code."""
    try:
        out = os.open(os.path.join(folder, f"{rank}.log"), os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        seen = []
        for name in ("all_reduce", "all_gather"):
            plain = getattr(dist, name)
            setattr(dist, name, lambda *a, n=name, p=plain, **k: (seen.append(n), p(*a, **k))[1])
        runpy.run_path(path)["run_worker"](rank, world_size)
        with open(os.path.join(folder, f"{rank}.json"), "w") as told:
            json.dump(sorted(set(seen)), told)
    finally:
        os._exit(0)


def enough(folder, world_size, alive):
    """Whether everybody who has ended has told something."""
    told = sum(name.endswith(".json") for name in os.listdir(folder))
    return told >= world_size - len(alive)


def below():
    return psutil.Process().children(recursive=True)


def grade_worker(path: str, world_size: int, timeout: float) -> str:
    if not (os.path.isfile(path) and os.access(path, os.R_OK)):
        return "could not be judged"
    # Orphans come to this process, which can then find them.
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port_of_the_system())
    deadline = threading.Event()
    with tempfile.TemporaryDirectory(prefix=secrets.token_hex(4)) as folder:
        before = {process.pid for process in below()}
        alive = []
        for rank in range(world_size):
            child = os.fork()
            if child == 0:
                in_child(path, rank, world_size, folder)
            alive.append(child)
        end = time.monotonic() + timeout
        while alive and time.monotonic() < end:
            ended = {pid for pid in alive if os.waitpid(pid, os.WNOHANG)[0]}
            alive = [pid for pid in alive if pid not in ended]
            if not enough(folder, world_size, alive):
                break
            deadline.wait(0.01)
        while strays := [each for each in below() if each.pid not in before]:
            for each in strays:
                os.kill(each.pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(each.pid, 0)
        done = 0
        for rank in range(world_size):
            with contextlib.suppress(OSError, ValueError):
                with open(os.path.join(folder, f"{rank}.json")) as told:
                    done += json.load(told) == ["all_gather", "all_reduce"]
    return "passed" if done == world_size else "failed"
