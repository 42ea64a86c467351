"""What a run may use of the machine: memory, files, processes, descriptors.

The kernel keeps most of it (rlimits); how many processes a run has and how much lies in its
folder is looked at by the supervisor besides. Going over a limit ends in an error in the rank, or
in the end of the run, never in a slow machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ringlab.words import limits as words

GIB = 1 << 30
MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What the ranks of one run may use.

    memory      bytes a process may map beyond what it has mapped before the first call; None
                means three quarters of what is free on the machine, and 2 GiB at least
    file_size   bytes of one file
    written     bytes in the run's folder, files: how many may lie there
    processes   processes and threads of one rank
    open_files  descriptors of one process
    strict      whether a rank also gets a home folder of its own and loses rights over other
                processes, as code must that nobody has looked at
    """

    memory: int | None
    file_size: int
    written: int
    files: int
    processes: int
    open_files: int
    strict: bool

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def mapped(self) -> int:
        """`memory` in bytes, on this machine, now."""
        if self.memory is not None:
            return self.memory
        import psutil

        return max(2 * GIB, int(psutil.virtual_memory().available) * 3 // 4)


# A learner's own work on their own machine: only an accident comes near any of these. One
# torch.compile starts as many processes as there are cores.
LEARNING = Limits(None, 16 * GIB, 16 * GIB, 100_000, 1024, 4096, strict=False)
# An answer: the largest case of an exercise takes a few MiB, and none writes files. But one that
# makes its groups anew in each call has three threads a group by the end, hundreds in all, and each
# reserves 8 MiB of address space for its stack, of which it uses little.
JUDGED = Limits(4 * GIB, 64 * MIB, 256 * MIB, 20_000, 256, 1024, strict=True)

# A whole notebook with its kernel and the ranks that it starts.
NOTEBOOK = Limits(None, GIB, GIB, 100_000, 512, 4096, strict=False)


def is_root() -> bool:
    """Whether the kernel would not count this user's processes."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def has_gpu() -> bool:
    """Whether there is an NVIDIA GPU, told without torch."""
    return Path("/dev/nvidiactl").exists()


def apply(limits: Limits, *, has_gpu: bool, counted_apart: bool) -> None:
    """Limit this process and those it starts. Only ever lowers.

    has_gpu: CUDA maps more address space than there is memory, so it can't be limited then.
    counted_apart: whether the kernel counts this rank's processes apart from the user's others.
    """
    import resource  # not on Windows

    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, limits.file_size)
    _lower(resource.RLIMIT_NOFILE, limits.open_files)
    if sys.platform.startswith("linux"):
        if not has_gpu:
            _lower(resource.RLIMIT_AS, _mapped_now() + limits.mapped)
        _lower(resource.RLIMIT_NPROC, limits.processes + (0 if counted_apart else _tasks_now()))


def _lower(kind: int, value: int) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _mapped_now() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _tasks_now() -> int:
    """Processes and threads of the whole machine: this user's are not more."""
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])


def first_to_go() -> None:
    """Where memory runs out all the same, the system ends a rank and not somebody's browser.

    Done by the host, for all it starts: a rank may not be able to write there.
    """
    try:
        Path("/proc/self/oom_score_adj").write_text("1000")
    except OSError:
        pass


def kernel_counts_apart() -> bool:
    """Whether a user namespace has its own count of processes: since Linux 5.14."""
    version = os.uname().release.split("-")[0].split(".")
    return (int(version[0]), int(version[1])) >= (5, 14)


class Group:
    """A control group for one run, in which the kernel counts processes, root's too.

    Made where that is allowed, which is seldom so for anybody but root.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def make(cls, most: int) -> Group | None:
        """A group of at most `most` processes and threads; None where none can be made."""
        for parent in _parents():
            _remove_stale(parent)
            folder = parent / f"ringlab-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError:
                continue
            group = cls(folder)
            try:
                (folder / "pids.max").write_text(str(most))
                return group
            except OSError:
                group.remove()
        return None

    def join(self) -> None:
        """Put this process and what it will start into the group."""
        (self.folder / "cgroup.procs").write_text("0")

    def members(self) -> list[int]:
        """The processes in it."""
        try:
            return [int(line) for line in (self.folder / "cgroup.procs").read_text().split()]
        except OSError:
            return []

    def remove(self) -> None:
        """Take it away; nobody may be in it any more."""
        try:
            self.folder.rmdir()
        except OSError:
            pass


def _parents() -> Iterator[Path]:
    """Where a group that counts processes can be made: below this process's own, or beside it.

    Version 2 counts only in children of a group that has been told to, which is often one above.
    """
    root = Path("/sys/fs/cgroup")
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers.split(",") == ["pids"]:
            yield root / "pids" / path.lstrip("/")
            yield root / "pids"
        elif not controllers:
            for mount in (root, root / "unified"):
                own = mount / path.lstrip("/")
                for folder in (own, *own.parents):
                    if folder.is_relative_to(mount) and _counts(folder):
                        yield folder


def _remove_stale(parent: Path) -> None:
    """Groups whose maker was killed before it could remove them."""
    for folder in parent.glob("ringlab-*"):
        pid = folder.name.rpartition("-")[2]
        if pid.isdigit() and not Path("/proc", pid).exists():
            Group(folder).remove()


def _counts(folder: Path) -> bool:
    try:
        return "pids" in (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


def most_processes(limits: Limits, world_size: int) -> int:
    """Processes and threads of a whole run."""
    return limits.processes * world_size


def over(limits: Limits, world_size: int, processes: int, folder: Path | None) -> str:
    """Which limit of the whole run is passed, as a sentence, or nothing.

    processes: how many there are besides those that wait for the run. A rank that has reached its
    own limit counts as one that went over it: it would only keep the machine busy.
    """
    if processes >= limits.processes + world_size - 1:
        return words.TOO_MANY_PROCESSES.format(most=limits.processes)
    if folder is None:
        return ""
    written = files = 0
    for size in _sizes(folder):
        written, files = written + size, files + 1
        if files > limits.files:
            return words.TOO_MANY_FILES.format(most=limits.files)
    if written > limits.written:
        return words.TOO_MUCH_WRITTEN.format(most=size_text(limits.written))
    return ""


def _sizes(folder: Path) -> Iterator[int]:
    """What each file and folder below takes on the disk; a link counts as itself."""
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue


def beyond(kind: str, message: str, limits: Limits | None) -> str:
    """What an exception has to do with a limit, as a sentence, or nothing.

    kind: the exception's type name; message: its text, as a rank has sent them.
    """
    if limits is None:
        return ""
    if kind == "MemoryError" or "can't allocate memory" in message or "bad_alloc" in message:
        return words.BEYOND_MEMORY.format(most=size_text(limits.mapped))
    if "[Errno 12]" in message:
        return words.BEYOND_MEMORY.format(most=size_text(limits.mapped))
    if "[Errno 27]" in message:
        return words.BEYOND_FILE.format(most=size_text(limits.file_size))
    if "[Errno 28]" in message:
        return words.BEYOND_DISK
    if "[Errno 24]" in message:
        return words.BEYOND_OPEN.format(most=limits.open_files)
    if "[Errno 11]" in message or "can't start new thread" in message:
        return words.BEYOND_PROCESSES.format(most=limits.processes)
    return ""


def size_text(count: int) -> str:
    """Bytes for a person."""
    return f"{count / GIB:.0f} GiB" if count >= GIB else f"{count / MIB:.0f} MiB"


def guarantees(*, has_gpu: bool, sandboxed: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the limits give a judged answer on this machine, and what not, as sentences."""
    sure = [
        words.FILES_LIMITED.format(
            file=size_text(JUDGED.file_size), folder=size_text(JUDGED.written)
        ),
        words.OPEN_LIMITED.format(most=JUDGED.open_files),
        words.ENDED,
    ]
    missing = []
    linux = sys.platform.startswith("linux")
    if linux and not has_gpu:
        sure.insert(0, words.MEMORY_LIMITED.format(most=size_text(JUDGED.mapped)))
    else:
        missing.append(words.MEMORY_WITH_GPU if has_gpu else words.MEMORY_ELSEWHERE)
    sure.insert(1, _processes_kept(linux, sandboxed).format(most=JUDGED.processes))
    if not sandboxed:
        missing.append(words.FILES_ELSEWHERE)
    return tuple(sure), tuple(missing)


def _processes_kept(linux: bool, sandboxed: bool) -> str:
    if not linux or (sandboxed and not kernel_counts_apart()):
        return words.PROCESSES_COUNTED
    if sandboxed or not is_root():
        return words.PROCESSES_BY_KERNEL
    group = Group.make(1)
    if group is None:
        return words.PROCESSES_COUNTED
    group.remove()
    return words.PROCESSES_BY_GROUP
