"""The supervisor of one run: starts its ranks, reports who ends, and leaves nothing behind.

It is forked from the host (Linux) or started as a process of its own, and it talks to the kernel
over one socket. When that socket closes, whatever the reason, every process of the run is killed
and its private folder removed. On Linux it is a child subreaper: a process that a rank detached
from its session still ends up below it, and is found. In the sandbox the run has namespaces of its
own, which the supervisor makes, stays outside of, and ends.
"""

from __future__ import annotations

import multiprocessing.connection
import os
import shutil
import signal
import socket
import stat
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from ringlab.world import limits, namespaces
from ringlab.world.choice import Choice, choose
from ringlab.world.namespaces import PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG, prctl
from ringlab.world.wire import BadFrame, Connection, Header

__all__ = [
    "PR_SET_CHILD_SUBREAPER",
    "PR_SET_PDEATHSIG",
    "kill_descendants",
    "kill_tree",
    "prctl",
    "serve",
]

STACK_SECONDS = 0.5
STACK_BYTES = 20_000
LOOK_SECONDS = 0.1
KILL_SECONDS = 8.0


def serve_and_exit(descriptors: list[int], sandboxed: bool) -> None:
    """Serve one run in a forked process, which never returns into the host's code."""
    try:
        serve(descriptors, sandboxed)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def serve(descriptors: list[int], sandboxed: bool = False) -> None:
    """Run one request. `descriptors`: the kernel's socket, then a socket and a pipe a rank."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    kernel = Connection(socket.socket(fileno=descriptors[0]))
    frame = kernel.receive()
    if frame is None:
        return
    init = None
    # Read before the run's /proc is mounted, where this process is not.
    other_id = sandboxed and namespaces.has_rank_id()
    try:
        init = namespaces.enter() if sandboxed else None
        folder = Path(tempfile.mkdtemp(prefix="ringlab-"))
    except OSError as error:
        _tell(kernel, {"error": str(error)})
        return
    # Everything temporary in this run lies in its folder, torch's error files too.
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    run = None
    try:
        run = _start(frame[0], descriptors[1:], folder, kernel, init, other_id)
        if run is not None:
            _watch(run, kernel)
    finally:
        if init is not None:
            namespaces.end(init)
        else:
            kill_descendants()
            shutil.rmtree(folder, ignore_errors=True)
        if run is not None and run.group is not None:
            run.group.remove()
        kernel.close()


@dataclass
class _Run:
    """One run as its supervisor knows it. `init`: the first process of its namespaces, if any."""

    context: Any
    folder: Path
    allowed: limits.Limits
    init: int | None
    group: limits.Group | None

    @property
    def processes(self) -> list[Any]:
        return list(self.context.processes)

    def over(self) -> str:
        """The limit that this run has passed, as a sentence, or nothing."""
        world_size = len(self.context.processes)
        if self.init is None:
            return limits.over(self.allowed, world_size, len(descendants()), self.folder)
        # Its /proc shows its processes alone, its /tmp has a size.
        count = sum(name.isdigit() for name in os.listdir("/proc"))
        return limits.over(self.allowed, world_size, count - 1, None)

    def kill(self) -> None:
        if self.init is None:
            kill_descendants()
        else:
            namespaces.end(self.init)


def _start(
    request: Header,
    rank_ends: list[int],
    folder: Path,
    kernel: Connection,
    init: int | None,
    other_id: bool,
) -> _Run | None:
    import torch.cuda
    import torch.distributed as dist
    from torch.multiprocessing.spawn import start_processes

    from ringlab.world import rank

    sys.path[:] = request["sys_path"]
    world_size = request["world_size"]
    gpus = torch.cuda.device_count()
    try:
        choice = choose(
            world_size,
            gpus=gpus,
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
    allowed = limits.Limits(**request["limits"])
    # In the sandbox the kernel counts apart for each rank, unless it is an old one.
    most = limits.most_processes(allowed, world_size)
    group = limits.Group.make(most) if init is None and limits.is_root() else None
    if other_id:
        os.chown(folder, namespaces.RANK_ID, namespaces.RANK_ID)
    spec = rank.Spec(
        world_size=world_size,
        backend=choice.backend,
        group=request["group"],
        folder=str(folder),
        ends=ends,
        kernel=kernel.fileno() if choice.start == "fork" else None,
        allowed=allowed,
        group_folder=str(group.folder) if group else None,
        has_gpu=gpus > 0,
        sandboxed=init is not None,
        other_id=other_id,
    )
    context = start_processes(
        rank.main, args=(spec,), nprocs=world_size, join=False, start_method=choice.start
    )
    for pair in ends:
        for end in pair:
            end.close()
    # A folder in the sandbox is no business of anybody outside.
    _tell(kernel, _started(choice, context, "" if init is not None else str(folder)))
    return _Run(context, folder, allowed, init, group)


def _started(choice: Choice, context: Any, folder: str) -> Header:
    return {
        "started": True,
        "start": choice.start,
        "backend": choice.backend,
        "pids": context.pids(),
        "folder": folder,
    }


def _watch(run: _Run, kernel: Connection) -> None:
    alive = {process.sentinel: rank for rank, process in enumerate(run.processes)}
    looked = time.monotonic()
    while alive:
        ready = multiprocessing.connection.wait([*alive, kernel.sock], LOOK_SECONDS)
        if time.monotonic() - looked >= LOOK_SECONDS:
            passed = run.over()
            if passed:
                _tell(kernel, {"over": passed})
                run.kill()
                return
            looked = time.monotonic()
        for each in ready:
            if each is kernel.sock:
                continue
            rank = alive.pop(each)
            process = run.processes[rank]
            process.join()
            _tell(kernel, {"exited": rank, "code": process.exitcode})
        if kernel.sock in ready:
            try:
                for header, _ in kernel.available():
                    if header.get("do") == "stacks":
                        _tell(kernel, {"stacks": _stacks(run, alive)})
                    else:
                        return
            except (EOFError, BadFrame):
                return


def _stacks(run: _Run, alive: dict[int, int]) -> dict[str, str]:
    """The Python stack of each living rank, also of one that is stuck in C++."""
    files = {rank: run.folder / f"stack{rank}" for rank in alive.values()}
    before = {rank: _size(file) for rank, file in files.items()}
    for rank in files:
        try:
            os.kill(run.processes[rank].pid, signal.SIGUSR1)
        except ProcessLookupError:
            pass
    end = time.monotonic() + STACK_SECONDS
    while time.monotonic() < end:
        if all(_size(file) > before[rank] for rank, file in files.items()):
            time.sleep(0.02)
            break
        time.sleep(0.01)
    return {str(rank): _read(file, before[rank]) for rank, file in files.items()}


def _read(file: Path, start: int) -> str:
    """Text that a rank has written; nothing where it has put something else in the file's place."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.pread(descriptor, STACK_BYTES, start).decode(errors="replace")
    finally:
        os.close(descriptor)


def _size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0


def descendants() -> list[int]:
    """Every process below this one."""
    try:
        found: list[int] = []
        waiting = [os.getpid()]
        while waiting:
            for pid in _children(waiting.pop()):
                found.append(pid)
                waiting.append(pid)
        return found
    except FileNotFoundError:
        return [process.pid for process in psutil.Process().children(recursive=True)]


def _children(pid: int) -> list[int]:
    """Children of a process and its threads; one that has ended has none. Linux tells it fast."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        if pid == os.getpid():
            raise FileNotFoundError from None
        return found
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
        except OSError:
            if pid == os.getpid():
                raise FileNotFoundError from None
    return found


def kill_descendants() -> None:
    """Kill every process below this one until none is left, detached ones too.

    One that forks and ends without pause has a new pid all the time. Its children come to this
    process, a subreaper, so that looking and killing in a tight loop gets it.
    """
    end = time.monotonic() + KILL_SECONDS
    while time.monotonic() < end:
        below = descendants()
        if not below:
            return
        # Stopped first, so that none can start another while the rest are killed.
        for sign in (signal.SIGSTOP, signal.SIGKILL):
            for pid in below:
                try:
                    os.kill(pid, sign)
                except (ProcessLookupError, PermissionError):
                    pass
        _reap_all()


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
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _tell(kernel: Connection, header: Header) -> None:
    try:
        kernel.send(header)
    except OSError:
        pass


if __name__ == "__main__":
    serve([int(each) for each in sys.argv[1:]])
