"""The turns of a judged `grade_worker`, in a process of its own: load the cell, have it grade.

The answer reads files and starts processes, so it runs without the builtins and the policy of the
others. It is a module on disk, since what `mp.spawn` starts looks its function up there.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import secrets
import shutil
import signal
import socket
import sys
import time
import types
from pathlib import Path
from typing import Any

import psutil

from ringlab.grading.turns import describe
from ringlab.grading.worker_files import PLACE
from ringlab.world.rank import Context
from ringlab.world.rank import describe as describe_error
from ringlab.world.supervisor import PR_SET_CHILD_SUBREAPER, prctl
from ringlab.world.wire import Header

MODULE = "answer"
# Ports that people write into their graders: the seed's, and the one of torch's own examples.
COMMON_PORTS = (12355, 29500)
GRACE_SECONDS = 1.0
MOST_NOTES = 64
# Python keeps these for itself until the process that made them ends.
PYTHONS_OWN = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def load(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Import the answer from a file in this process's private folder."""
    folder = Path(context.folder)
    (folder / f"{MODULE}.py").write_bytes(payload)
    sys.path.insert(0, str(folder))
    # Ranks are to be ended by Ctrl-C as everywhere, and to find no main module to run again.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.modules["__main__"] = types.ModuleType("__main__")
    # What the answer starts and loses sight of comes back to this process.
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    # torch looks up names when ranks meet at a port; a slow resolver must not cost the deadline.
    os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"
    for name in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"):
        os.environ.pop(name, None)
    context.kept["ports"] = list(_taken())
    context.kept["function"] = getattr(importlib.import_module(MODULE), header["exercise"])
    return {}, b""


def _taken() -> Any:
    """The ports that everybody takes, taken: a grader must find a free one."""
    for port in COMMON_PORTS:
        taken = socket.socket()
        # Not among what the answer's own processes inherit.
        taken.set_inheritable(False)
        with contextlib.suppress(OSError):
            taken.bind(("0.0.0.0", port))
            taken.listen()
            yield taken


def grade(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Have one file graded: what was returned, after how long, what ran, what is left."""
    folder = Path(context.folder) / secrets.token_hex(6)
    notes = folder / secrets.token_hex(6)
    notes.mkdir(parents=True)
    path = folder / header["name"]
    if header["is_folder"]:
        path.mkdir()
    elif header["has_file"]:
        path.write_text(payload.decode().replace(PLACE, str(notes)))
    told: Header = {"nonce": header["nonce"], "raised": None, "returned": {"kind": "none"}}
    begun = time.monotonic()
    try:
        returned = context.kept["function"](str(path), header["world_size"], header["timeout"])
        told["returned"] = describe(returned)[0]
    except BaseException as error:
        told["raised"] = describe_error(error)
    told["seconds"] = time.monotonic() - begun
    told["left"] = _left()
    told["notes"] = _read(notes)
    shutil.rmtree(folder, ignore_errors=True)
    return told, b""


def _left() -> list[str]:
    """Command lines of processes that are still there after a moment; they are ended."""
    end = time.monotonic() + GRACE_SECONDS
    while (alive := _below()) and time.monotonic() < end:
        time.sleep(0.05)
    lines = []
    for process in alive:
        with contextlib.suppress(psutil.Error):
            lines.append(" ".join(process.cmdline())[:120])
            process.kill()
    for process in alive:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, 0)
    return lines


def _below() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            own = any(name in " ".join(process.cmdline()) for name in PYTHONS_OWN)
            if process.status() != psutil.STATUS_ZOMBIE and not own:
                found.append(process)
    return found


def _read(notes: Path) -> dict[str, str]:
    """What each rank left: its number, and its world size and port as text."""
    files = sorted(notes.iterdir())[:MOST_NOTES]
    return {file.name: file.read_bytes()[:100].decode(errors="replace") for file in files}
