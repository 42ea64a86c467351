"""The Linux namespaces of one run in the sandbox, and how a rank gives up its rights there.

The host lives in a sandbox made by bubblewrap, with rights over that sandbox alone. Each run gets
namespaces of its own below it: processes, mounts (its /tmp, /dev/shm, /proc), network (a loopback
that nobody else is on) and System V IPC. A rank sees neither the host nor another run, and when
the run ends, all of it ends at once. Nothing of the course is imported here: as a program this
file tries all of it and says why it failed.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import signal
import socket
import stat
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TMP_BYTES = 256 << 20
SHM_BYTES = 256 << 20
# An empty file takes about a kilobyte of kernel memory that the size does not count.
MOST_FILES = 20_000
# The uid in the sandbox that ranks take where the caller is root and can map a second one.
RANK_ID = 1

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_SECUREBITS = 28
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
_NO_ROOT_RIGHTS = 0b101111  # noroot, no_setuid_fixup, keep_caps off; each locked
_HIGHEST_CAPABILITY = 40
_CAPABILITY_VERSION_3 = 0x20080522
# Root's rights over files: without a sandbox the code to import may belong to somebody else.
FILE_RIGHTS = 0b1111

_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (1 << n for n in (17, 27, 28, 29, 30))
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND_ALL = 1 << 12 | 1 << 14
_MS_REC_PRIVATE = 1 << 14 | 1 << 18
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Linux's prctl; nothing elsewhere."""
    if sys.platform.startswith("linux"):
        _libc().prctl(option, value, 0, 0, 0)


def _call(name: str, *arguments: Any) -> None:
    if getattr(_libc(), name)(*arguments):
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def enter() -> int:
    """Move this process's future children into new namespaces; gives the pid of their init.

    The caller sees the run's mounts and network too, but stays out of sight of its processes.
    Raises OSError where the kernel refuses.
    """
    os.umask(0o022)
    _call("unshare", _NEWNS | _NEWIPC | _NEWPID | _NEWNET)
    _call("mount", b"none", b"/", None, _MS_REC_PRIVATE, None)
    _tmpfs("/tmp", TMP_BYTES)
    _tmpfs("/dev/shm", SHM_BYTES)
    _loopback_up()
    return _start_init()


def _tmpfs(place: str, size: int) -> None:
    """An empty folder in memory. What was mounted below it, say the course's Python, stays."""
    below = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in _mounted_below(place)}
    options = f"size={size},nr_inodes={MOST_FILES},mode=1777"
    _call("mount", b"tmpfs", place.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV, options.encode())
    for path, descriptor in below.items():
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            os.makedirs(path)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        source = f"/proc/self/fd/{descriptor}".encode()
        _call("mount", source, path.encode(), None, _MS_BIND_ALL, None)
        os.close(descriptor)


def _mounted_below(place: str) -> list[str]:
    """Mount points below a folder, without those that lie below another of them."""
    lines = os.fsdecode(Path("/proc/self/mountinfo").read_bytes()).splitlines()
    points = sorted({_plain_path(line.split()[4]) for line in lines})
    found: list[str] = []
    for point in points:
        if point.startswith(f"{place}/") and not any(point.startswith(f"{p}/") for p in found):
            found.append(point)
    return found


def _plain_path(text: str) -> str:
    """A path as mountinfo writes it, with spaces and the like as octal numbers."""
    return re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), text)


def _loopback_up() -> None:
    import fcntl  # not on Windows

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sH14x", b"lo", 0)
        name, flags = struct.unpack("16sH14x", fcntl.ioctl(sock, _SIOCGIFFLAGS, request))
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sH14x", name, flags | _IFF_UP))


def _start_init() -> int:
    """The first process of the run: mounts its /proc, collects orphans; all die with it."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid:
        os.close(told)
        said = os.read(ready, 200)
        os.close(ready)
        if said != b"ready":
            os.waitpid(pid, 0)
            raise OSError(f"proc: {said.decode(errors='replace')}")
        return pid
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # Whatever it held on to would never be closed while the run lasts.
        os.dup2(told, 3)
        os.closerange(4, 65536)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        # Read-only: /proc/sys belongs to the real root, and so may a rank.
        flags = _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
        _call("mount", b"proc", b"/proc", b"proc", flags, None)
        os.write(3, b"ready")
        os.closerange(0, 4)
        while True:
            signal.pause()
    except BaseException as error:
        os.write(3, str(error).encode()[:200])
    finally:
        # Never back into the caller's code, in which this process has no part.
        os._exit(1)


def end(init: int) -> None:
    """Kill every process of the run and wait until all are gone."""
    os.kill(init, signal.SIGKILL)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def has_rank_id() -> bool:
    """Whether a second uid is mapped here, which the ranks can take."""
    return len(Path("/proc/self/uid_map").read_text().splitlines()) > 1


def lower(other_id: bool) -> None:
    """Give up all rights in the sandbox for good; done by a rank before any code of others runs.

    A user namespace of its own makes the kernel count its processes apart from everybody else's.
    """
    if other_id:
        os.setgroups([])
        os.setresgid(RANK_ID, RANK_ID, RANK_ID)
        os.setresuid(RANK_ID, RANK_ID, RANK_ID)
    _call("unshare", _NEWUSER)
    drop_capabilities()
    # The kernel forgets it when rights change.
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def drop_capabilities(kept: int = 0) -> None:
    """Keep the capabilities in the mask `kept` at most, and no way to gain one."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    data = ctypes.create_string_buffer(24)
    _call("capget", header, data)
    effective, permitted = struct.unpack("6I", data.raw)[:2]
    if not permitted:
        return
    for capability in range(_HIGHEST_CAPABILITY + 1):
        if not kept >> capability & 1:
            prctl(PR_CAPBSET_DROP, capability)
    if not kept:
        prctl(PR_SET_SECUREBITS, _NO_ROOT_RIGHTS)
    words = (effective & kept, permitted & kept, 0, 0, 0, 0)
    _call("capset", header, struct.pack("6I", *words))


def _tried(steps: list[Callable[[], Any]]) -> str:
    for step in steps:
        try:
            step()
        except OSError as error:
            return str(error)
    return "works"


if __name__ == "__main__":
    other = has_rank_id()
    said = _tried([enter, lambda: lower(other)])
    print(said)
    sys.exit(said != "works")
