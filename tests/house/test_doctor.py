"""doctor says what is there, and what can't be known where torch is missing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ringlab
from ringlab.doctor import Cores, Gpu, doctor
from ringlab.words import sandbox as sandbox_words
from ringlab.world import sandbox

doctor_module: Any = sys.modules["ringlab.doctor"]
ROOT = Path(__file__).resolve().parents[2]


def test_this_machine_is_described_in_every_row() -> None:
    diagnosis = doctor()
    text = diagnosis.text()
    rows = ("Python", "packages", "cores", "memory", "backends", "GPUs", "ranks", "sandbox")
    for row in (*rows, "guaranteed"):
        assert row in text
    assert f"torch {diagnosis.packages['torch']}" in text
    assert diagnosis.backends is not None
    assert diagnosis.backends["gloo"]
    assert diagnosis.cores.usable <= diagnosis.cores.total


def test_the_notebook_call_works_although_the_module_has_its_name() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import ringlab.doctor;"
        "import ringlab as lab; print(type(lab.doctor()).__name__)"
    )
    command = [sys.executable, "-c", script, str(ROOT)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == "Diagnosis\n"
    assert ringlab.doctor().python == doctor_module().python


def test_json_holds_the_same() -> None:
    found = json.loads(json.dumps(doctor().to_json()))
    assert found["cores"]["total"] >= 1
    assert found["start"] in ("fork", "spawn")


def test_without_torch_it_says_so() -> None:
    script = (
        "import sys, importlib.util as u; find = u.find_spec;"
        "u.find_spec = lambda name, *a: None if name == 'torch' else find(name, *a);"
        "sys.path.insert(0, sys.argv[1]);"
        "from ringlab.doctor import doctor; print(doctor().text()); print('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", script, str(ROOT)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "none can be started: torch is not installed" in said
    assert said.endswith("False\n")


@pytest.mark.parametrize(
    ("system", "gpus", "nccl", "start", "expected"),
    [
        ("Linux", 0, False, "fork", "gloo, forked from a preloaded host process"),
        ("Darwin", 0, False, "spawn", "gloo, each started by mp.spawn"),
        ("Windows", 0, False, "spawn", "forking is not safe on Windows"),
        ("Linux", 2, True, "fork", "up to 2: nccl, one GPU each, started by mp.spawn"),
        ("Linux", 2, False, "fork", "gloo, forked"),
    ],
)
def test_how_ranks_start(
    monkeypatch: pytest.MonkeyPatch, system: str, gpus: int, nccl: bool, start: str, expected: str
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    backends = {"gloo": True, "nccl": nccl, "mpi": False}
    found = doctor_module._how_ranks_start(backends, (Gpu("a GPU", 1 << 34),) * gpus)
    assert found[0] == start
    assert expected in found[1]


def cgroup(monkeypatch: pytest.MonkeyPatch, folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    monkeypatch.setattr(doctor_module, "_cgroup_folders", lambda: [folder])


def test_a_quota_counts_as_fewer_cores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(16)), raising=False)
    cgroup(monkeypatch, tmp_path, cpu_max="150000 100000\n")
    assert doctor_module._cores() == Cores(64, 1.5)
    cgroup(monkeypatch, tmp_path, cpu_max="max 100000\n")
    assert doctor_module._cores() == Cores(64, 16)


def test_a_memory_limit_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cgroup(monkeypatch, tmp_path, memory_max=str(1 << 30))
    memory = doctor_module._memory()
    assert memory is not None
    assert memory.limit == 1 << 30
    assert "this process may use 1.0 GiB" in doctor_module._memory_words(memory)


def test_protection_is_what_the_sandbox_and_the_limits_really_give() -> None:
    found = doctor().protection
    tried = sandbox.probe()
    assert found.sandbox == tried.name
    assert set(tried.guarantees) <= set(found.guarantees)
    assert set(tried.missing) <= set(found.missing)
    assert any("at most 256 processes" in sentence for sentence in found.guarantees)


def test_a_machine_without_a_sandbox_says_what_is_not_guaranteed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = sandbox.Protection("none", (), (sandbox_words.MISSING, sandbox_words.NO_NETWORK))
    monkeypatch.setattr(sandbox, "probe", lambda: refused)
    text = doctor().text()
    assert "none works here" in text
    assert "bubblewrap is not installed" in text
    assert "the network is not cut off" in text
    assert "what a run writes outside its own folder stays" in text


def test_memory_is_not_limited_with_a_gpu() -> None:
    found = doctor_module._protection((Gpu("a GPU", 1 << 34),))
    assert any("CUDA" in sentence for sentence in found.missing)
    assert not any("GiB of memory" in sentence for sentence in found.guarantees)
