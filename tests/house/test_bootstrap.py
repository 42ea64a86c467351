"""Set-up: made once, mended after anything, one sentence where it can't be done."""

import errno
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ringlab import bootstrap
from ringlab.words import cli as words

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course folder of our own, in which pip is a script that writes down what it is asked."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "constraints.txt").write_text("torch==2.13.0\n")
    for name, value in {
        "ROOT": tmp_path,
        "ENV": tmp_path / ".venv",
        "STAMP": tmp_path / ".venv" / "ringlab-stamp",
        "MARK": tmp_path / ".venv" / "ringlab-made",
        "LOG": tmp_path / ".venv" / "setup.log",
        "LOCK": tmp_path / ".venv.lock",
    }.items():
        monkeypatch.setattr(bootstrap, name, value)
    monkeypatch.setattr(bootstrap, "can_reach", lambda index: False)
    monkeypatch.setattr(bootstrap, "has_nvidia", lambda: False)
    return tmp_path


@pytest.fixture
def pip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    calls: list[tuple[str, ...]] = []

    def run(*arguments: str) -> tuple[int, list[str]]:
        calls.append(arguments)
        return 0, []

    monkeypatch.setattr(bootstrap, "_pip", run)
    monkeypatch.setattr(bootstrap, "_make_venv", lambda: fake_python(folder))
    return calls


def fake_python(folder: Path) -> None:
    program = folder / ".venv" / "bin" / "python"
    program.parent.mkdir(exist_ok=True)
    program.symlink_to(sys.executable)


def test_a_second_call_does_nothing(folder: Path, pip: list[tuple[str, ...]]) -> None:
    bootstrap.set_up()
    assert bootstrap.is_ready()
    count = len(pip)
    bootstrap.set_up()
    assert len(pip) == count


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_list_of_packages_is_installed(
    folder: Path, pip: list[tuple[str, ...]], name: str
) -> None:
    bootstrap.set_up()
    with (folder / name).open("a") as file:
        file.write("# changed\n")
    assert not bootstrap.is_ready()
    (folder / ".venv" / "kept").touch()
    bootstrap.set_up()
    assert bootstrap.is_ready()
    assert (folder / ".venv" / "kept").exists(), "an update needs no new environment"


def test_a_half_made_environment_is_made_anew(folder: Path, pip: list[tuple[str, ...]]) -> None:
    bootstrap.set_up()
    (folder / ".venv" / "ringlab-stamp").unlink()
    (folder / ".venv" / "half a package").touch()
    bootstrap.set_up()
    assert bootstrap.is_ready()
    assert not (folder / ".venv" / "half a package").exists()


def test_a_failed_update_is_not_taken_for_done(
    folder: Path, pip: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.set_up()
    (folder / "constraints.txt").write_text("torch==2.13.0\nnew==1\n")
    monkeypatch.setattr(bootstrap, "_pip", lambda *arguments: (1, ["ERROR: no\n"]))
    with pytest.raises(bootstrap.SetupError):
        bootstrap.set_up()
    (folder / "constraints.txt").write_text("torch==2.13.0\n")
    assert not bootstrap.is_ready()


def test_a_moved_folder_gets_a_new_environment(
    folder: Path, pip: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.set_up()
    monkeypatch.setattr(bootstrap, "ROOT", folder / "." / "elsewhere")
    (folder / "elsewhere").mkdir()
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(folder / name, folder / "elsewhere")
    assert not bootstrap.is_ready()


def test_an_environment_of_someone_else_is_kept(folder: Path, pip: list[tuple[str, ...]]) -> None:
    (folder / ".venv").mkdir()
    (folder / ".venv" / "theirs").touch()
    bootstrap.set_up()
    (kept,) = folder.glob(".venv.kept-*")
    assert (kept / "theirs").exists()
    assert bootstrap.is_ready()


def test_the_cpu_build_comes_from_pytorchs_index_and_brings_nothing_else(
    folder: Path, pip: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "can_reach", lambda index: True)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    bootstrap.set_up()
    assert pip[0] == (
        *("install", "--no-deps", "--index-url", bootstrap.CPU_INDEX, "torch==2.13.0"),
    )
    assert pip[1] == ("install", "-e", f"{folder}[test,sandbox]")


def test_the_size_is_said_before_the_default_index_is_used(
    folder: Path,
    pip: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    bootstrap.set_up()
    said = capsys.readouterr().err
    assert "can't be reached" in said
    assert "GB of downloads" in said
    assert [call[-1] for call in pip] == [f"{folder}[test,sandbox]"]


def test_an_update_leaves_the_right_pytorch_where_it_is(
    folder: Path, pip: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.set_up()
    packages = folder / ".venv" / "lib" / "python3.11" / "site-packages"
    (packages / "torch-2.13.0+cpu.dist-info").mkdir(parents=True)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr(bootstrap, "can_reach", lambda index: pytest.fail("asked for nothing"))
    with (folder / "constraints.txt").open("a") as file:
        file.write("new==1\n")
    bootstrap.set_up()
    assert bootstrap.is_ready()


@pytest.mark.parametrize(("system", "nvidia"), [("Linux", True), ("Darwin", False)])
def test_the_default_index_is_right_elsewhere(
    folder: Path,
    pip: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    nvidia: bool,
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr(bootstrap, "has_nvidia", lambda: nvidia)
    monkeypatch.setattr(bootstrap, "can_reach", lambda index: pytest.fail("asked for nothing"))
    bootstrap.set_up()
    assert len(pip) == 1


PIP_SAYS = {
    "disk": ("ERROR: Could not install: [Errno 28] No space left on device\n", "disk is full"),
    "network": (
        "WARNING: Retrying after connection broken by NewConnectionError\n"
        "ERROR: Could not find a version that satisfies the requirement torch\n",
        "can't be reached",
    ),
    "no wheel": ("ERROR: No matching distribution found for torch==2.13.0\n", "no PyTorch 2.13.0"),
    "else": ("ERROR: something new\n", "something new All of its output is in"),
}


@pytest.mark.parametrize("case", PIP_SAYS)
def test_what_pip_fails_of_becomes_one_sentence(
    folder: Path,
    pip: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    case: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    output, expected = PIP_SAYS[case]
    monkeypatch.setattr(bootstrap, "_pip", lambda *arguments: (1, output.splitlines(keepends=True)))
    assert bootstrap.main(["lab"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert expected in last
    assert "Traceback" not in last


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.EROFS, "can't be written"), (errno.ENOSPC, "disk is full")]
)
def test_a_folder_that_takes_nothing_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: str
) -> None:
    def refuse(*arguments: object, **more: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(bootstrap.SetupError, match=expected):
        bootstrap.set_up()


def test_too_little_room_is_said_before_anything_is_made(
    folder: Path, pip: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "DISK_CPU", 1 << 60)
    with pytest.raises(bootstrap.SetupError, match="disk is full"):
        bootstrap.set_up()
    assert not (folder / ".venv").exists()


def test_a_python_without_ensurepip_names_the_package(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    major, minor = sys.version_info[:2]
    with pytest.raises(bootstrap.SetupError, match=f"python{major}.{minor}-venv"):
        bootstrap.set_up()


def _hold(path: str, held: "multiprocessing.synchronize.Event", seconds: float) -> None:
    bootstrap.LOCK = Path(path)
    with bootstrap._lock():
        held.set()
        time.sleep(seconds)


@pytest.mark.skipif(os.name == "nt", reason="fork")
def test_two_calls_at_once_take_turns(
    folder: Path, pip: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    other = context.Process(target=_hold, args=(str(bootstrap.LOCK), held, 1.0))
    other.start()
    assert held.wait(30)
    bootstrap.set_up()
    other.join()
    assert words.WAITING in capsys.readouterr().err
    assert bootstrap.is_ready()


CHILD_OUTLIVES = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from ringlab import bootstrap
bootstrap.LOCK = Path({lock!r})
bootstrap.LOG = Path({log!r})
bootstrap.ROOT = Path({folder!r})
with bootstrap._lock():
    print("locked", flush=True)
    bootstrap._run([sys.executable, "-c", "import time; print(1, flush=True); time.sleep(3)"])
"""


@pytest.mark.skipif(os.name == "nt", reason="flock")
def test_the_lock_lasts_as_long_as_an_orphaned_pip(folder: Path) -> None:
    script = CHILD_OUTLIVES.format(
        root=str(ROOT), lock=str(folder / "l"), log=str(folder / "log"), folder=str(folder)
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"locked\n"
    deadline = time.monotonic() + 30
    while not (folder / "log").exists() or not (folder / "log").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    fd = os.open(folder / "l", os.O_RDWR)
    try:
        assert not bootstrap._try_lock(fd), "the child still works in the environment"
        while not bootstrap._try_lock(fd):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        os.close(fd)


def serve(handler: type[BaseHTTPRequestHandler]) -> HTTPServer:
    server = HTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/whl/cpu/torch/" else 404)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


class _Silent(_Answers):
    def do_GET(self) -> None:
        time.sleep(2)


def test_the_probe_tells_an_index_from_none() -> None:
    server = serve(_Answers)
    address = f"http://127.0.0.1:{server.server_port}"
    assert bootstrap.can_reach(f"{address}/whl/cpu")
    assert bootstrap.can_reach(f"{address}/whl/cpu/")
    assert not bootstrap.can_reach(f"{address}/somewhere")
    server.shutdown()
    server.server_close()
    assert not bootstrap.can_reach(f"{address}/whl/cpu")


def test_the_probe_does_not_wait_for_an_index_that_is_silent() -> None:
    server = serve(_Silent)
    started = time.monotonic()
    assert not bootstrap.can_reach(f"http://127.0.0.1:{server.server_port}/whl/cpu", seconds=0.3)
    assert time.monotonic() - started < 1.5
    server.shutdown()
    server.server_close()


def test_the_probe_does_not_wait_for_a_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *arguments, **more: time.sleep(3))
    started = time.monotonic()
    assert not bootstrap.can_reach("https://nowhere.invalid/whl/cpu", seconds=0.2)
    assert time.monotonic() - started < 1.5


def test_needs_nothing_but_the_standard_library() -> None:
    script = (
        "import json, sys; sys.path.insert(0, sys.argv[1]);"
        "before = set(sys.modules); import ringlab.bootstrap;"
        "print(json.dumps(sorted({name.split('.')[0] for name in set(sys.modules) - before})))"
    )
    command = [sys.executable, "-S", "-I", "-c", script, str(ROOT)]
    loaded = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert set(loaded) - set(sys.stdlib_module_names) == {"ringlab"}
