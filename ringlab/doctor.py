"""What this machine has, and what a run would use here.

`ringlab.doctor()` in a notebook and `./course doctor` in a terminal say the same. Works without
torch too: it then says what can't be known.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ringlab.words import cli as words

PACKAGES = ("torch", "numpy", "jupyterlab", "ipywidgets", "matplotlib", "nbval")
BACKENDS = ("gloo", "nccl", "mpi")


@dataclass(frozen=True)
class Cores:
    """Processor cores: all, and those this process may use (affinity and cgroup quota)."""

    total: int
    usable: float


@dataclass(frozen=True)
class Memory:
    """Bytes. limit: what the cgroup allows this process, None without a limit."""

    total: int
    available: int
    limit: int | None


@dataclass(frozen=True)
class Gpu:
    name: str
    memory: int  # bytes


@dataclass(frozen=True)
class Protection:
    """What confines a learner's code here, tried out, and what does not, each as a sentence.

    sandbox: "bubblewrap" or "none", as `./course grade` would use it.
    """

    sandbox: str
    guarantees: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Diagnosis:
    """What a machine has. backends and gpus are None where torch is missing."""

    python: str
    executable: str
    system: str
    packages: dict[str, str | None]
    cores: Cores
    memory: Memory | None
    backends: dict[str, bool] | None
    gpus: tuple[Gpu, ...] | None
    start: str | None  # "fork" or "spawn": what run(start="auto") does with gloo
    ranks: str
    protection: Protection

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        rows = list(self._rows())
        width = max(len(name) for name, _ in rows)
        lines = [f"{name.ljust(width)}  {value}".rstrip() for name, value in rows]
        return "\n".join([words.DOCTOR_TITLE, *lines])

    __str__ = text
    __repr__ = text

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield words.ROW_PYTHON, f"{self.python} ({_short(self.executable)})"
        installed = (f"{name} {version or '-'}" for name, version in self.packages.items())
        yield words.ROW_PACKAGES, ", ".join(installed)
        yield words.ROW_SYSTEM, self.system
        cores = words.CORES_ALL if self.cores.usable >= self.cores.total else words.CORES_SOME
        yield words.ROW_CORES, cores.format(total=self.cores.total, usable=self.cores.usable)
        if self.memory is not None:
            yield words.ROW_MEMORY, _memory_words(self.memory)
        yield words.ROW_BACKENDS, _backend_words(self.backends)
        yield words.ROW_GPUS, _gpu_words(self.gpus)
        yield words.ROW_RANKS, self.ranks
        yield words.ROW_SANDBOX, _sandbox_words(self.protection.sandbox)
        for title, sentences in (
            (words.ROW_GUARANTEES, self.protection.guarantees),
            (words.ROW_MISSING, self.protection.missing),
        ):
            for sentence in sentences:
                yield title, sentence
                title = ""


def doctor() -> Diagnosis:
    """Look at this machine. Takes about two seconds, most of it to import torch."""
    backends, gpus = _torch_has()
    start, ranks = _how_ranks_start(backends, gpus)
    return Diagnosis(
        python=platform.python_version(),
        executable=sys.executable,
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        packages={name: _version(name) for name in PACKAGES},
        cores=_cores(),
        memory=_memory(),
        backends=backends,
        gpus=gpus,
        start=start,
        ranks=ranks,
        protection=_protection(gpus),
    )


def _version(package: str) -> str | None:
    with suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return None


def _torch_has() -> tuple[dict[str, bool] | None, tuple[Gpu, ...] | None]:
    if importlib.util.find_spec("torch") is None:
        return None, None
    try:
        import torch
        import torch.distributed as dist
    except (ImportError, OSError):  # OSError: a library that torch loads is missing
        return None, None
    available = dist.is_available()
    backends = {
        name: available and bool(getattr(dist, f"is_{name}_available")()) for name in BACKENDS
    }
    gpus = []
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            found = torch.cuda.get_device_properties(index)
            gpus.append(Gpu(found.name, int(found.total_memory)))
    return backends, tuple(gpus)


def _how_ranks_start(
    backends: dict[str, bool] | None, gpus: tuple[Gpu, ...] | None
) -> tuple[str | None, str]:
    if backends is None or gpus is None:
        return None, words.RANKS_NO_TORCH
    if platform.system() == "Linux":
        start, gloo = "fork", words.RANKS_GLOO_FORK
    else:
        reason = words.SPAWN_PLATFORM.format(platform=platform.system())
        start, gloo = "spawn", words.RANKS_GLOO_SPAWN.format(reason=reason)
    if gpus and backends["nccl"]:
        return start, words.RANKS_NCCL.format(gpus=len(gpus), gloo=gloo)
    return start, gloo


def _cores() -> Cores:
    total = os.cpu_count() or 1
    usable: float = total
    if hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    for folder in _cgroup_folders():
        with suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text().split()
            if quota != "max":
                usable = min(usable, int(quota) / int(period))
    return Cores(total, round(usable, 2))


def _memory() -> Memory | None:
    try:
        import psutil
    except ImportError:
        return None
    found = psutil.virtual_memory()
    limits = []
    for folder in _cgroup_folders():
        with suppress(OSError, ValueError):
            limits.append(int((folder / "memory.max").read_text()))
    limit = min((value for value in limits if value < found.total), default=None)
    return Memory(int(found.total), int(found.available), limit)


def _cgroup_folders() -> list[Path]:
    """This process's cgroup (version 2) and those above it: each can limit."""
    root = Path("/sys/fs/cgroup")
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::"):
                own = root / line[3:].strip().lstrip("/")
                return [own, *(above for above in own.parents if above.is_relative_to(root))]
    return []


def _protection(gpus: tuple[Gpu, ...] | None) -> Protection:
    """A sandbox is really made; so is a control group, and it is removed again."""
    from ringlab.world import limits, sandbox

    found = sandbox.probe()
    sure, missing = limits.guarantees(has_gpu=bool(gpus), sandboxed=found.name != "none")
    return Protection(found.name, (*found.guarantees, *sure), (*found.missing, *missing))


def _sandbox_words(name: str) -> str:
    return words.SANDBOX_NONE if name == "none" else words.SANDBOX_WORKS.format(name=name)


def _memory_words(memory: Memory) -> str:
    sizes = {
        "total": _size(memory.total),
        "available": _size(memory.available),
        "limit": _size(memory.limit or 0),
    }
    return (words.MEMORY if memory.limit is None else words.MEMORY_LIMITED).format(**sizes)


def _backend_words(backends: dict[str, bool] | None) -> str:
    if backends is None:
        return words.NO_TORCH
    available = ", ".join(name for name, there in backends.items() if there) or "none"
    missing = ", ".join(name for name, there in backends.items() if not there)
    line = words.BACKEND_LINE if missing else words.BACKEND_LINE_ALL
    return line.format(available=available, missing=missing)


def _gpu_words(gpus: tuple[Gpu, ...] | None) -> str:
    if gpus is None:
        return words.NO_TORCH
    return ", ".join(f"{gpu.name}, {_size(gpu.memory)}" for gpu in gpus) or words.NO_GPUS


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"


def _short(path: str) -> str:
    home = str(Path.home())
    return path.replace(home, "~", 1) if len(home) > 1 and path.startswith(home) else path


class _Callable(ModuleType):
    """Lets `lab.doctor()` be a call although `ringlab.doctor` is this file."""

    def __call__(self) -> Diagnosis:
        return doctor()


sys.modules[__name__].__class__ = _Callable
