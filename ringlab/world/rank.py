"""What runs in a rank: join the process group, then do what the kernel asks, one turn at a time."""

from __future__ import annotations

import contextlib
import datetime
import faulthandler
import importlib
import os
import signal
import socket
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringlab.world import limits, namespaces
from ringlab.world.namespaces import PR_SET_PDEATHSIG, prctl
from ringlab.world.wire import Connection, Header, pack

# The kernel owns the deadline; the group's own timeout only has to be longer.
GROUP_TIMEOUT = datetime.timedelta(minutes=60)
TRACEBACK_LIMIT = 100_000


@dataclass
class Spec:
    """What all ranks of a run are started with. `ends[r]`: rank r's socket and its output pipe.

    other_id: whether there is another user in the sandbox, whom the ranks become.
    """

    world_size: int
    backend: str
    group: bool
    folder: str
    ends: list[tuple[Any, Any]]
    kernel: int | None = None
    allowed: limits.Limits = limits.LEARNING
    group_folder: str | None = None
    has_gpu: bool = False
    sandboxed: bool = False
    other_id: bool = False


@dataclass
class Context:
    """What a turn may use: who it is, its connection, and what earlier turns have left."""

    rank: int
    world_size: int
    backend: str
    folder: str
    connection: Connection
    kept: dict[str, Any] = field(default_factory=dict)


class Refused(Exception):
    """A turn could not be done for a reason that the learner can mend; the message says it."""


def main(rank: int, spec: Spec) -> None:
    """Entry point of every rank, called by torch's start_processes."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = _own_ends(rank, spec)
    if spec.sandboxed:
        namespaces.lower(spec.other_id)
    with open(Path(spec.folder) / f"stack{rank}", "wb", buffering=0) as stacks:
        if hasattr(signal, "SIGUSR1"):
            faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=True)
        own_folder = Path(spec.folder) / f"rank{rank}"
        own_folder.mkdir()
        os.chdir(own_folder)
        context = Context(rank, spec.world_size, spec.backend, str(own_folder), connection)
        _join_group(rank, spec)
        _limit(spec, own_folder)
        connection.send({"ready": True})
        _serve(context)
        _leave_group(spec)
        _flush()
    # A thread that the learner started must not keep the process alive.
    os._exit(0)


def _limit(spec: Spec, own_folder: Path) -> None:
    """From here on the rank may run anybody's code."""
    apart = spec.sandboxed and limits.kernel_counts_apart()
    if spec.group_folder is not None:
        limits.Group(Path(spec.group_folder)).join()
    limits.apply(spec.allowed, has_gpu=spec.has_gpu, counted_apart=apart)
    if spec.allowed.strict:
        os.environ["HOME"] = str(own_folder)
        if not spec.sandboxed and sys.platform.startswith("linux"):
            namespaces.drop_capabilities(namespaces.FILE_RIGHTS)


def _own_ends(rank: int, spec: Spec) -> Connection:
    """Keep this rank's ends alone; what it prints goes to its pipe, and it has nothing to read."""
    for other, pair in enumerate(spec.ends):
        if other != rank:
            for end in pair:
                end.close()
    if spec.kernel is not None:
        os.close(spec.kernel)
    mine, output = spec.ends[rank]
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    output.close()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = _text(1)
    sys.stderr = _text(2)
    return Connection(socket.socket(fileno=os.dup(mine.fileno())))


def _text(descriptor: int) -> Any:
    return open(
        descriptor,
        "w",
        buffering=1,
        encoding="utf-8",
        errors="backslashreplace",
        closefd=False,
    )


def _join_group(rank: int, spec: Spec) -> None:
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    if spec.backend == "nccl":
        torch.cuda.set_device(rank)
        # Lessons say torch.ones(4); on a GPU run that must be this rank's GPU.
        torch.set_default_device(f"cuda:{rank}")
    if spec.group:
        dist.init_process_group(
            spec.backend,
            init_method=f"file://{spec.folder}/store",
            rank=rank,
            world_size=spec.world_size,
            timeout=GROUP_TIMEOUT,
        )


def _leave_group(spec: Spec) -> None:
    import torch.distributed as dist

    # gloo needs no farewell from a process that ends; NCCL warns without one.
    if spec.backend == "nccl" and dist.is_initialized():
        dist.destroy_process_group()


def _serve(context: Context) -> None:
    while True:
        frame = context.connection.receive()
        if frame is None or frame[0].get("do") == "end":
            return
        header, payload = frame
        turn = {"turn": header.get("turn")}
        try:
            answer, result = _turn(context, header, payload)
            _flush()
            frame_bytes = pack({**answer, **turn}, result)
        except BaseException as error:
            _flush()
            frame_bytes = pack({**describe(error), **turn})
        context.connection.send_packed(frame_bytes)


def _turn(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    module, _, name = header["do"].partition(":")
    function = getattr(importlib.import_module(module), name)
    answer, result = function(context, header, payload)
    return {**answer, "end": "returned"}, result


def describe(error: BaseException) -> Header:
    """An exception as plain data: kind, message, the frames it passed, the printed traceback."""
    if isinstance(error, Refused):
        return {"end": "refused", "message": str(error)}
    frames = [
        (frame.filename, frame.lineno, frame.name)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    try:
        message = str(error)
    except BaseException:
        # An exception whose own text raises; it is no reason to lose the rank.
        message = ""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        frames.append((error.filename, error.lineno, "<module>"))
    return {
        "end": "raised",
        "type": type(error).__name__,
        "message": message[:TRACEBACK_LIMIT],
        "exit": isinstance(error, SystemExit),
        "frames": frames[-50:],
    }


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
