"""The supervisor of one run: starts its ranks, reports who ends, and leaves nothing behind.

It is forked from the host (Linux) or started as a process of its own, and it talks to the kernel
over one socket. When that socket closes, whatever the reason, every process of the run is killed
and its private folder removed. On Linux it is a child subreaper: a process that a rank detached
from its session still ends up below it, and is found.
"""

from __future__ import annotations

import ctypes
import multiprocessing.connection
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from ringlab.world.choice import Choice, choose
from ringlab.world.wire import BadFrame, Connection, Header

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
STACK_SECONDS = 0.5


def prctl(option: int, value: int) -> None:
    """Linux's prctl; nothing elsewhere."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def serve_and_exit(descriptors: list[int]) -> None:
    """Serve one run in a forked process, which never returns into the host's code."""
    try:
        serve(descriptors)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def serve(descriptors: list[int]) -> None:
    """Run one request. `descriptors`: the kernel's socket, then a socket and a pipe a rank."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    kernel = Connection(socket.socket(fileno=descriptors[0]))
    frame = kernel.receive()
    if frame is None:
        return
    folder = Path(tempfile.mkdtemp(prefix="ringlab-"))
    # Everything temporary in this run lies in its folder, torch's error files too.
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    try:
        run = _start(frame[0], descriptors[1:], folder, kernel)
        if run is not None:
            _watch(run, kernel, folder)
    finally:
        kill_descendants()
        shutil.rmtree(folder, ignore_errors=True)
        kernel.close()


def _start(request: Header, rank_ends: list[int], folder: Path, kernel: Connection) -> Any:
    import torch.cuda
    import torch.distributed as dist
    from torch.multiprocessing.spawn import start_processes

    from ringlab.world import rank

    sys.path[:] = request["sys_path"]
    world_size = request["world_size"]
    try:
        choice = choose(
            world_size,
            gpus=torch.cuda.device_count(),
            nccl=dist.is_nccl_available(),
            start=request["start"],
            backend=request["backend"],
        )
    except ValueError as error:
        _tell(kernel, {"error": str(error)})
        return None
    ends = [
        (
            multiprocessing.connection.Connection(rank_ends[2 * r]),
            multiprocessing.connection.Connection(rank_ends[2 * r + 1], readable=False),
        )
        for r in range(world_size)
    ]
    spec = rank.Spec(
        world_size=world_size,
        backend=choice.backend,
        group=request["group"],
        folder=str(folder),
        ends=ends,
        kernel=kernel.fileno() if choice.start == "fork" else None,
    )
    context = start_processes(
        rank.main, args=(spec,), nprocs=world_size, join=False, start_method=choice.start
    )
    for pair in ends:
        for end in pair:
            end.close()
    _tell(kernel, _started(choice, context, folder))
    return context


def _started(choice: Choice, context: Any, folder: Path) -> Header:
    return {
        "started": True,
        "start": choice.start,
        "backend": choice.backend,
        "pids": context.pids(),
        "folder": str(folder),
    }


def _watch(context: Any, kernel: Connection, folder: Path) -> None:
    alive = {process.sentinel: rank for rank, process in enumerate(context.processes)}
    while alive:
        ready = multiprocessing.connection.wait([*alive, kernel.sock])
        for each in ready:
            if each is kernel.sock:
                continue
            rank = alive.pop(each)
            process = context.processes[rank]
            process.join()
            _tell(kernel, {"exited": rank, "code": process.exitcode})
        if kernel.sock in ready:
            try:
                for header, _ in kernel.available():
                    if header.get("do") == "stacks":
                        _tell(kernel, {"stacks": _stacks(context, alive, folder)})
                    else:
                        return
            except (EOFError, BadFrame):
                return


def _stacks(context: Any, alive: dict[int, int], folder: Path) -> dict[str, str]:
    """The Python stack of each living rank, also of one that is stuck in C++."""
    files = {rank: folder / f"stack{rank}" for rank in alive.values()}
    before = {rank: _size(file) for rank, file in files.items()}
    for rank in files:
        try:
            os.kill(context.processes[rank].pid, signal.SIGUSR1)
        except ProcessLookupError:
            pass
    end = time.monotonic() + STACK_SECONDS
    while time.monotonic() < end:
        if all(_size(file) > before[rank] for rank, file in files.items()):
            time.sleep(0.02)
            break
        time.sleep(0.01)
    return {
        str(rank): file.read_bytes()[before[rank] : before[rank] + 20000].decode(errors="replace")
        for rank, file in files.items()
        if file.exists()
    }


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def kill_descendants() -> None:
    """Kill every process below this one until none is left, detached ones too."""
    me = psutil.Process()
    for _ in range(200):
        below = me.children(recursive=True)
        if not below:
            return
        # Stopped first, so that none can start another while the rest are killed.
        for sign in (signal.SIGSTOP, signal.SIGKILL):
            for process in below:
                try:
                    os.kill(process.pid, sign)
                except (ProcessLookupError, PermissionError):
                    pass
        _reap_all()
        time.sleep(0.002)


def kill_tree(pid: int) -> None:
    """Kill a child of this process and all below it."""
    try:
        tree = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        tree = []
    for each in [pid, *(process.pid for process in tree)]:
        try:
            os.kill(each, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    _reap_one(pid)


def _reap_one(pid: int) -> None:
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass


def _reap_all() -> None:
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            time.sleep(0.002)


def _tell(kernel: Connection, header: Header) -> None:
    try:
        kernel.send(header)
    except OSError:
        pass


if __name__ == "__main__":
    serve([int(each) for each in sys.argv[1:]])
