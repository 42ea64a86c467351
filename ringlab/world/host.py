"""The host: a process with torch loaded and one thread, from which every run is forked.

A notebook kernel has threads, and a forked child of a threaded process may hang in its first
matrix product. Starting Python and torch anew for every rank is safe but takes seconds. The host
pays for `import torch` once per kernel; each run is then a fork of it: first a supervisor, which
starts the ranks with `torch.multiprocessing.start_processes`, watches them and cleans up.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import sys
import time

import psutil

from ringlab.world import limits, namespaces, supervisor
from ringlab.world.namespaces import prctl

SANDBOXED = "sandboxed"
IDLE_SECONDS = 300.0
MOST_DESCRIPTORS = 250
# What a rank may be asked for by name; imported once here instead of once a rank.
PRELOADED = (
    "ringlab.world.rank",
    "ringlab.world.calls",
    "ringlab.trace.turns",
    "ringlab.grading.turns",
)


def preload() -> None:
    """Import what every rank needs, so that a fork finds it there."""
    import torch
    import torch.distributed
    import torch.multiprocessing

    for module in PRELOADED:
        importlib.import_module(module)
    torch.set_num_threads(1)


def main(descriptor: int, sandboxed: bool = False) -> None:
    """Serve requests on `descriptor` until it closes or nothing has come for minutes.

    sandboxed: whether bubblewrap has started this process, with rights to make namespaces.
    """
    if sandboxed:
        # bubblewrap's own; what is open here is open in every rank.
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, MOST_DESCRIPTORS)
    control = socket.socket(fileno=descriptor)
    prctl(namespaces.PR_SET_CHILD_SUBREAPER, 1)
    limits.first_to_go()
    # A rank of the same user must not read or change this process.
    prctl(namespaces.PR_SET_DUMPABLE, 0)
    preload()
    control.settimeout(1.0)
    children: set[int] = set()
    last = time.monotonic()
    while True:
        _reap(children)
        if children:
            last = time.monotonic()
        if time.monotonic() - last > IDLE_SECONDS:
            return
        try:
            data, descriptors, _, _ = socket.recv_fds(control, 1, MOST_DESCRIPTORS)
        except TimeoutError:
            continue
        except OSError:
            return
        if not data:
            return
        if not descriptors:
            continue
        last = time.monotonic()
        pid = os.fork()
        if pid == 0:
            control.close()
            supervisor.serve_and_exit(descriptors, sandboxed)
        children.add(pid)
        for each in descriptors:
            os.close(each)


def _reap(children: set[int]) -> None:
    """Collect supervisors that have ended. What a killed one left behind is killed too."""
    ended = False
    for pid in list(children):
        try:
            done = os.waitpid(pid, os.WNOHANG)[0]
        except ChildProcessError:
            done = pid
        if done:
            children.discard(pid)
            ended = True
    if ended:
        for stray in psutil.Process().children():
            if stray.pid not in children:
                supervisor.kill_tree(stray.pid)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(int(sys.argv[1]), SANDBOXED in sys.argv[2:])
