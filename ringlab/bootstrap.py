"""Makes and mends the course's environment, `.venv`, then runs the command in it.

Started by `./course` with the Python it found (on Windows: `py ringlab\\bootstrap.py lab`).
Nothing but the standard library is there yet. What is done is recorded last, in a stamp, so an
environment without the right stamp is half-made or out of date, whatever ended the call before.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TextIO
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
if sys.path[:1] != [str(ROOT)]:
    sys.path.insert(0, str(ROOT))

from ringlab.words import cli as words  # noqa: E402

OLDEST = (3, 11)
ENV = ROOT / ".venv"
STAMP = ENV / "ringlab-stamp"  # written last: this environment is complete
MARK = ENV / "ringlab-made"  # written first: this folder is ours to remove
LOG = ENV / "setup.log"
LOCK = ROOT / ".venv.lock"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PROBE_SECONDS = 5.0
CUDA_GIGABYTES = 3
DISK_CPU, DISK_CUDA = 2 << 30, 9 << 30


class SetupError(Exception):
    """Why there is no environment, in one sentence."""


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST:
        print(words.TOO_OLD.format(executable=sys.executable, version=platform.python_version()))
        return 1
    try:
        if not is_ready():
            set_up()
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(words.STOPPED, file=sys.stderr)
        return 130
    return hand_over(arguments)


def hand_over(arguments: list[str]) -> int:
    # -P: a file called random.py in the learner's folder must not shadow the library's.
    command = [str(env_python()), "-P", "-m", "ringlab.cli", *arguments]
    if os.name != "nt":
        os.execv(command[0], command)
    return subprocess.run(command).returncode


def env_python() -> Path:
    return ENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def fingerprint() -> str:
    """What the environment was made from. A moved folder counts: a venv holds absolute paths."""
    parts = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    parts.append(str(ROOT).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def is_ready() -> bool:
    try:
        made_from = STAMP.read_text().split()
    except OSError:
        return False
    return bool(made_from) and made_from[0] == fingerprint() and env_python().exists()


def set_up() -> None:
    """Make the environment, one call at a time. Raises SetupError."""
    with _lock():
        if is_ready():  # another call made it while this one waited
            return
        started = time.monotonic()
        try:
            _make()
        except OSError as error:
            raise SetupError(_explain(error)) from None
        print(words.SET_UP.format(seconds=time.monotonic() - started), file=sys.stderr)


def _make() -> None:
    wants_cuda = has_nvidia()
    if _same_python() and STAMP.exists():
        _say(words.UPDATING.format(folder=ENV.name))
        STAMP.unlink()
    else:
        _room_for(DISK_CUDA if wants_cuda else DISK_CPU)
        _say(words.SETTING_UP.format(folder=ENV.name, log=_short(LOG)))
        _clear()
        _make_venv()
    _install(wants_cuda)
    part = STAMP.with_suffix(".part")
    part.write_text(f"{fingerprint()} {platform.python_version()} {ROOT}\n")
    os.replace(part, STAMP)


def _same_python() -> bool:
    """Whether the environment has a Python that runs and was made in this place."""
    with contextlib.suppress(OSError, IndexError, subprocess.SubprocessError):
        made_in = STAMP.read_text().rstrip("\n").split(" ", 2)[2]
        if made_in == str(ROOT):
            command = [str(env_python()), "-I", "-c", "import pip"]
            return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    return False


def _clear() -> None:
    if not ENV.exists() and not ENV.is_symlink():
        pass
    elif MARK.exists() or not any(ENV.iterdir()):
        shutil.rmtree(ENV)
    else:
        kept = ROOT / f".venv.kept-{time.strftime('%Y%m%d-%H%M%S')}"
        ENV.rename(kept)
        _say(words.FOREIGN_ENV.format(folder=ENV.name, kept=kept.name))
    ENV.mkdir()
    MARK.touch()


def _make_venv() -> None:
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        major, minor = sys.version_info[:2]
        raise SetupError(
            words.NO_ENSUREPIP.format(executable=sys.executable, major=major, minor=minor)
        )
    # From inside the old environment the base interpreter has to make the new one.
    python = getattr(sys, "_base_executable", "") or sys.executable
    _say(words.STEP_VENV.format(python=f"{python}, {platform.python_version()}"))
    status, tail = _run([python, "-I", "-m", "venv", str(ENV)])
    if status:
        raise SetupError(
            _explain_pip(tail, words.VENV_FAILED.format(executable=python, reason=_last_line(tail)))
        )


def _install(wants_cuda: bool) -> None:
    if platform.system() == "Linux" and not wants_cuda and not _has_torch():
        _install_cpu_torch()
    _say(words.STEP_PACKAGES)
    status, tail = _pip("install", "-e", f"{ROOT}[test,sandbox]")
    if status:
        raise SetupError(
            _explain_pip(tail, words.PIP_FAILED.format(reason=_last_line(tail), log=_short(LOG)))
        )


def _has_torch() -> bool:
    """Whether an update finds the right PyTorch in place, whichever build it is."""
    found = ENV.glob(f"lib/python*/site-packages/torch-{_torch_version()}*.dist-info")
    return any(found)


def _install_cpu_torch() -> None:
    """From PyTorch's own index, without what it needs: that comes from the default index."""
    index = os.environ.get("RINGLAB_TORCH_INDEX", CPU_INDEX)
    if can_reach(index):
        _say(words.STEP_TORCH_CPU.format(index=index))
        status, tail = _pip(
            "install", "--no-deps", "--index-url", index, f"torch=={_torch_version()}"
        )
        if status == 0:
            return
        if "No space left" in "".join(tail):
            raise SetupError(_explain_pip(tail, ""))
    _say(words.NO_CPU_INDEX.format(index=index, gigabytes=CUDA_GIGABYTES))


def _torch_version() -> str:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line.startswith("torch=="):
            return line.removeprefix("torch==").strip()
    raise SetupError(words.PIP_FAILED.format(reason="torch is not pinned.", log="constraints.txt"))


def has_nvidia() -> bool:
    return Path("/proc/driver/nvidia/version").exists() or Path("/dev/nvidia0").exists()


def can_reach(index: str, seconds: float = PROBE_SECONDS) -> bool:
    """Whether the index answers for torch. A name server that never answers has no timeout of
    its own, so the asking is done in a thread that may be left behind."""
    answers: list[bool] = []

    def ask() -> None:
        certificates = os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE") or None
        with contextlib.suppress(Exception):
            context = ssl.create_default_context(cafile=certificates)
            url = index.rstrip("/") + "/torch/"
            with urllib.request.urlopen(url, timeout=seconds, context=context) as reply:
                answers.append(reply.status == 200)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return answers == [True]


def _pip(*arguments: str) -> tuple[int, list[str]]:
    command = [str(env_python()), "-I", "-m", "pip", "--no-input", "--disable-pip-version-check"]
    if "PIP_RETRIES" not in os.environ:
        command += ["--retries", "3"]
    action, *rest = arguments
    command += [action, "--progress-bar", "off", "-c", str(ROOT / "constraints.txt"), *rest]
    return _run(command)


def _run(command: list[str]) -> tuple[int, list[str]]:
    """Run, keep the output in the log, tell of large downloads; status and the last lines.

    The child keeps the lock too: where this process is killed, the next call waits until the
    child has ended, and does not take the environment away under it.
    """
    lines: list[str] = []
    keep = (_lock_fd,) if _lock_fd is not None and os.name != "nt" else ()
    environment = dict(os.environ, PYTHONUNBUFFERED="1")
    for name in ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_USER"):
        environment.pop(name, None)
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        pass_fds=keep,
        cwd=ROOT,
        env=environment,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    try:
        with _end_on_signal(child), _log() as log:
            assert child.stdout is not None
            for line in child.stdout:
                if log is not None:
                    with contextlib.suppress(OSError):  # a full disk is pip's to report
                        log.write(line)
                        log.flush()
                lines = [*lines[-60:], line]
                _tell(line)
            return child.wait(), lines
    except BaseException:
        child.terminate()
        child.wait()
        raise


def _tell(line: str) -> None:
    """What of pip's output a waiting person wants to see."""
    large = re.search(r"Downloading (\S+) \((\d{3,}\.\d MB|[2-9]\d\.\d MB|[\d.]+ GB)\)", line)
    if large:
        _say(words.STEP_DOWNLOAD.format(name=unquote(large[1].split("/")[-1]), size=large[2]))
    elif line.startswith("Installing collected packages"):
        _say(words.STEP_UNPACK)


@contextlib.contextmanager
def _end_on_signal(child: subprocess.Popen[str]) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        child.terminate()
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    old = {name: signal.signal(getattr(signal, name), stop) for name in names}
    try:
        yield
    finally:
        for name, handler in old.items():
            signal.signal(getattr(signal, name), handler)


def _log() -> contextlib.AbstractContextManager[TextIO | None]:
    try:
        return LOG.open("a", encoding="utf-8")
    except OSError:
        return contextlib.nullcontext()


_lock_fd: int | None = None


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    global _lock_fd
    try:
        fd = os.open(LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise SetupError(_explain(error)) from None
    try:
        if not _try_lock(fd):
            _say(words.WAITING)
            while not _try_lock(fd):
                time.sleep(0.2)
        _lock_fd = fd
        yield
    finally:
        _lock_fd = None
        os.close(fd)


def _try_lock(fd: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _room_for(needed: int) -> None:
    if shutil.disk_usage(ROOT).free < needed:
        raise SetupError(_disk_full(needed))


def _disk_full(needed: int = DISK_CPU) -> str:
    """pip unpacks in the temporary folder, which may be the full one."""
    folders = [ROOT, Path(tempfile.gettempdir())]
    free, folder = min((shutil.disk_usage(folder).free, folder) for folder in folders)
    return words.DISK_FULL.format(free=_size(free), folder=folder, needed=_size(needed))


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GB"


def _explain(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _disk_full()
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return words.READ_ONLY.format(folder=ROOT, reason=os.strerror(error.errno))
    return words.VENV_FAILED.format(executable=sys.executable, reason=error)


_NETWORK_SIGNS = (
    "NewConnectionError",
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "NameResolutionError",
    "Connection refused",
    "ConnectTimeout",
    "Network is unreachable",
    "ProxyError",
    "Read timed out",
    "Max retries exceeded",
)


def _explain_pip(tail: list[str], otherwise: str) -> str:
    text = "".join(tail)
    if "No space left on device" in text or "Errno 28" in text or "Disk quota" in text:
        return _disk_full()
    if any(sign in text for sign in _NETWORK_SIGNS):
        return words.NO_NETWORK
    if "No matching distribution found for torch" in text:
        return words.NO_TORCH_WHEEL.format(
            torch=_torch_version(),
            executable=sys.executable,
            version=platform.python_version(),
            platform=platform.platform(terse=True),
        )
    return otherwise


def _last_line(lines: list[str]) -> str:
    kept = [line.strip() for line in lines if line.strip()]
    errors = [line for line in kept if line.startswith("ERROR")]
    return (errors or kept or ["it said nothing."])[-1].removeprefix("ERROR: ")


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
