"""In the sandbox code finds no network, no files of others, no process but its own, and leaves
nothing. Every attack here is tried for real, on ranks as a grader starts them.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from ringlab import catalog
from ringlab.grading.judge import judge
from ringlab.words import sandbox as words
from ringlab.world import limits, sandbox
from ringlab.world.client import HOST, Ranks
from ringlab.world.run import attempt, run
from ringlab.world.travel import by_value

HOME = Path(__file__).parents[2]
IN_FORCE = sandbox.probe().name == "bubblewrap"
contained = pytest.mark.skipif(
    not IN_FORCE, reason=f"no sandbox here: {'; '.join(sandbox.probe().missing)}"
)


@pytest.fixture(scope="module", autouse=True)
def in_the_sandbox() -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        stack.callback(sandbox.use, "off")
        sandbox.use("auto")
        yield


def result(attack: Callable[..., Any], *arguments: Any) -> Any:
    """What an attack on one rank found."""
    return run(attack, 1, *arguments, timeout=60).results[0]


def refused(attack: Callable[[], Any]) -> str:
    """The name of the error that an attack runs into, or "done"."""
    try:
        attack()
    except Exception as error:
        return type(error).__name__
    return "done"


def test_which_protection_is_in_force_is_said_aloud() -> None:
    found = sandbox.probe()
    text = f"learners' code is kept in: {found.name}. Missing: {'; '.join(found.missing) or '-'}"
    warnings.warn(text, stacklevel=1)
    assert (found.name == "bubblewrap") == bool(found.guarantees)
    if not IN_FORCE:
        assert {words.NO_NETWORK, words.NO_FILES, words.NO_PROCESSES} <= set(found.missing)
        with pytest.raises(sandbox.SandboxUnavailable, match="Nothing was run"):
            sandbox.use("require")


def test_bubblewrap_is_here_where_it_can_be_had() -> None:
    if sys.platform.startswith("linux"):
        assert sandbox.programs(), words.MISSING


def test_a_mode_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="auto, require, off"):
        sandbox.use("always")  # type: ignore[arg-type]


@contained
def test_the_network_cannot_be_reached() -> None:
    def call_home() -> list[str]:
        import socket

        found = []
        for address in (("1.1.1.1", 53), ("192.0.2.1", 80)):
            try:
                socket.create_connection(address, timeout=2).close()
                found.append("connected")
            except OSError as error:
                found.append(os.strerror(error.errno or 0))
        return found

    assert result(call_home) == ["Network is unreachable"] * 2


@contained
def test_a_server_of_this_machine_cannot_be_reached() -> None:
    def knock(port: int) -> int:
        import socket

        return socket.socket().connect_ex(("127.0.0.1", port))

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert socket.socket().connect_ex(("127.0.0.1", port)) == 0
        assert os.strerror(result(knock, port)) == "Connection refused"


@contained
def test_a_port_of_the_run_is_not_seen_outside() -> None:
    def listen(port: int) -> bool:
        import socket
        import time

        with socket.create_server(("127.0.0.1", port)):
            time.sleep(0.5)
            # Another rank would reach it.
            return socket.socket().connect_ex(("127.0.0.1", port)) == 0

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    answers: list[Any] = []
    running = threading.Thread(target=lambda: answers.append(result(listen, port)))
    running.start()
    knocks = []
    while running.is_alive():
        knocks.append(socket.socket().connect_ex(("127.0.0.1", port)))
        time.sleep(0.02)
    assert answers == [True] and len(knocks) > 10
    assert 0 not in knocks


@contained
def test_only_python_and_the_system_are_in_sight(tmp_path: Path) -> None:
    other = tmp_path / "other_submission.py"
    other.write_text("def ring_all_reduce(tensor): ...")

    def look(home: str, other: str, own_home: str) -> list[Any]:
        import os

        texts = []
        for path in (f"{home}/solutions/ring_step.py", f"{home}/tests", other, "/etc/shadow"):
            texts.append(os.path.exists(path))
        return [*texts, os.listdir(home), os.environ["HOME"] != own_home]

    found = result(look, str(HOME), str(other), os.environ["HOME"])
    assert found[:4] == [False] * 4
    assert set(found[4]) <= {"ringlab", ".venv"}
    assert found[5]


@contained
def test_what_is_hidden_is_hidden_inside_what_is_in_sight(tmp_path: Path) -> None:
    def look(path: str) -> Any:
        import os

        return os.listdir(path)

    inside = HOME / "ringlab" / "bench"
    sandbox.use("require", [inside])
    try:
        assert result(look, str(inside)) == []
    finally:
        sandbox.use("require")
    assert "measure.py" in result(look, str(inside))


@contained
def test_secrets_in_the_environment_stay_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_TOKEN", "secret")
    sandbox.use("off")
    sandbox.use("require")

    def names() -> list[str]:
        import os

        return list(os.environ)

    assert "GRADER_TOKEN" not in result(names)


@contained
def test_results_cannot_be_written(tmp_path: Path) -> None:
    def forge(folder: str, home: str) -> list[str]:
        import os

        written = []
        for place in (folder, home, f"{home}/ringlab", "/", "/usr", "/etc", "/dev", "/proc/sys"):
            try:
                with open(os.path.join(place, "grades.csv"), "w") as file:
                    file.write("all points")
                written.append(place)
            except OSError:
                pass
        return written

    assert result(forge, str(tmp_path), str(HOME)) == []
    assert not list(tmp_path.iterdir())


@contained
def test_nothing_is_left_for_the_next_run() -> None:
    def leave() -> int:
        import os

        left = 0
        for folder, names, _ in os.walk("/"):
            if folder.startswith(("/proc", "/sys", "/usr")) or folder.endswith("/lib"):
                names.clear()
                continue
            try:
                with open(os.path.join(folder, "left-for-the-next"), "w") as file:
                    file.write("the answer")
                left += 1
            except OSError:
                pass
        return left

    def find() -> list[str]:
        import os

        found = []
        for folder, names, files in os.walk("/"):
            if folder.startswith(("/proc", "/sys", "/usr")) or folder.endswith("/lib"):
                names.clear()
            elif "left-for-the-next" in files:
                found.append(folder)
        return found

    assert result(leave) >= 3, "its own folders, /tmp and /dev/shm can be written"
    assert result(find) == []


@contained
def test_shared_memory_ends_with_the_run() -> None:
    def leave() -> bool:
        import ctypes

        return ctypes.CDLL(None).shmget(4711, 4096, 0o1666) >= 0

    def find() -> bool:
        import ctypes

        return ctypes.CDLL(None).shmget(4711, 4096, 0) >= 0

    assert result(leave)
    assert not result(find)


@contained
def test_two_runs_at_once_do_not_see_each_other() -> None:
    def stay(port: int) -> None:
        import pathlib
        import socket
        import time

        with socket.create_server(("127.0.0.1", port)):
            pathlib.Path("/tmp/mine").write_text("x")
            time.sleep(1.5)

    def look(port: int) -> list[Any]:
        import os
        import socket

        pids = [name for name in os.listdir("/proc") if name.isdigit()]
        reached = socket.socket().connect_ex(("127.0.0.1", port)) == 0
        return [len(pids), os.path.exists("/tmp/mine"), reached]

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = threading.Thread(target=result, args=(stay, port))
    running.start()
    time.sleep(0.5)
    found = result(look, port)
    assert running.is_alive()
    running.join()
    # The first process of the run, and the rank.
    assert found == [2, False, False]


def commands_with(mark: str) -> list[str]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if mark in process.cmdline():
                found.append(" ".join(process.cmdline()))
    return found


@contained
@pytest.mark.parametrize("when", ["before it returns", "after it has returned"])
def test_daemons_end_with_the_run(when: str) -> None:
    mark = f"3600.{time.monotonic_ns() % 1_000_000:06d}"

    def leave(mark: str, late: bool) -> None:
        import os
        import threading
        import time

        def detach() -> None:
            for _ in range(200):
                if os.fork() == 0:
                    os.setsid()
                    if os.fork():
                        os._exit(0)
                    os.execv("/bin/sleep", ["sleep", mark])
                if late:
                    time.sleep(0.001)

        if late:
            threading.Thread(target=detach).start()
        else:
            for _ in range(3):
                if os.fork() == 0:
                    os.setsid()
                    if os.fork():
                        os._exit(0)
                    os.execv("/bin/sleep", ["sleep", mark])

    result(leave, mark, when.startswith("after"))
    assert commands_with(mark) == []


@contained
def test_host_and_supervisor_cannot_be_killed() -> None:
    result(os.getpid)
    host = HOST.pid

    def kill_all(host: int) -> None:
        import os
        import signal

        for pid in (os.getppid(), host, 1, *range(2, 400)):
            if pid not in (0, os.getpid()):
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
        os.kill(-1, signal.SIGKILL)
        os.kill(0, signal.SIGKILL)

    done = attempt(kill_all, 2, host, timeout=20)
    assert done.failure is not None
    assert "SIGKILL" in done.failure.text()
    assert HOST.pid == host
    assert run(os.getpid, 2, timeout=20).world_size == 2
    assert HOST.pid == host


@contained
def test_memory_of_other_processes_cannot_be_read_or_traced() -> None:
    result(os.getpid)
    assert HOST.pid is not None
    outside = [p.pid for p in psutil.Process(HOST.pid).children(recursive=True)]

    def attack(outside: list[int]) -> list[str]:
        import ctypes
        import os

        libc = ctypes.CDLL(None, use_errno=True)
        broken = []
        for pid in (1, 2, os.getppid(), *outside):
            if pid == os.getpid():
                continue
            # PTRACE_SEIZE stops nothing, as PTRACE_ATTACH would.
            if libc.ptrace(0x4206, pid, None, None) == 0:
                broken.append(f"traced {pid}")
            for name in ("mem", "environ", "maps"):
                try:
                    with open(f"/proc/{pid}/{name}", "rb") as file:
                        file.read(10)
                    broken.append(f"read {pid} {name}")
                except OSError:
                    pass
        return broken

    assert result(attack, [HOST.pid, os.getpid(), *outside]) == []


@contained
def test_no_right_over_the_machine_can_be_had() -> None:
    def climb() -> list[Any]:
        import ctypes
        import os

        libc = ctypes.CDLL(None, use_errno=True)
        climbed = []
        status = open("/proc/self/status").read()  # noqa: SIM115
        capabilities = [line.split()[1] for line in status.splitlines() if line.startswith("Cap")]
        climbed += [mask for mask in capabilities if int(mask, 16)]
        for call in (lambda: os.setuid(0), lambda: os.chroot("/tmp"), lambda: os.nice(-5)):
            try:
                call()
                climbed.append("call")
            except OSError:
                pass
        if libc.umount2(b"/tmp", 2) == 0:
            climbed.append("umount")
        if libc.mount(b"none", b"/usr", None, 32 | 4096, None) == 0:
            climbed.append("remounted /usr")
        for name in ("kernel/core_pattern", "kernel/hostname", "vm/drop_caches"):
            try:
                os.close(os.open(f"/proc/sys/{name}", os.O_WRONLY))
                climbed.append(name)
            except OSError:
                pass
        done = os.popen("grep CapEff /proc/self/status").read().split()[1]
        if int(done, 16):
            climbed.append("a started program has rights")
        return climbed

    assert result(climb) == []


@contained
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_a_temporary_folder_fills_up_alone(folder: str) -> None:
    def fill(folder: str) -> int:
        block, written = b"x" * (1 << 20), 0
        for number in range(64):
            try:
                with open(f"{folder}/full{number}", "wb") as file:
                    for _ in range(16):
                        file.write(block)
                        written += 1
            except OSError as error:
                assert error.errno == 28
                return written
        return written

    assert 200 <= result(fill, folder) <= 256


@contained
def test_packages_below_tmp_stay_in_sight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "with a space" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "marker").write_text("here")
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages)])
    sandbox.use("off")
    sandbox.use("require")

    def look(packages: str) -> list[str]:
        import os

        return os.listdir(packages)

    assert result(look, str(packages)) == ["marker"]


@contained
def test_the_grader_knows_the_ranks_by_their_pids_outside() -> None:
    def inside() -> int:
        import os

        return os.getpid()

    request = {"do": "ringlab.world.calls:call", "name": "inside", "record": False}
    with Ranks(2) as ranks:
        turn = ranks.turn([(request, by_value((inside, (), {}), inside))] * 2, 20)
        for rank, outcome in enumerate(turn.outcomes):
            status = Path(f"/proc/{ranks.seen_pid(rank)}/status").read_text()
            numbers = status.partition("NSpid:")[2].splitlines()[0].split()
            assert int(numbers[-1]) == pickle.loads(outcome.payload)


@contained
def test_a_hang_is_seen_although_the_ranks_have_other_pids() -> None:
    def circle() -> None:
        import torch
        import torch.distributed as dist

        dist.recv(torch.ones(4), 1 - dist.get_rank())

    begun = time.monotonic()
    done = attempt(circle, 2, timeout=60)
    assert done.failure is not None and done.failure.kind == "hung"
    assert time.monotonic() - begun < 30, "seen long before the deadline"


@contained
def test_a_right_answer_passes_in_the_sandbox() -> None:
    source = (HOME / "solutions" / "ring_step.py").read_text()
    report = judge(catalog.get("ring_step"), source)
    assert report.verdict == "passed", report.checks


@contained
def test_spawned_ranks_are_in_the_sandbox_too() -> None:
    def look(home: str) -> tuple[int, bool]:
        import os

        import torch
        import torch.distributed as dist

        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        return int(tensor), os.path.exists(f"{home}/solutions")

    done = run(look, 2, str(HOME), start="spawn", timeout=120)
    assert done.start == "spawn"
    assert done.results == [(2, False)] * 2


@contained
def test_a_program_runs_in_the_same_sandbox(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_text("x")
    script = (
        "import os, pathlib, socket, sys\n"
        "print(os.path.exists(sys.argv[2] + '/secret'), os.environ['MARK'], os.getcwd())\n"
        "print(socket.socket().connect_ex(('1.1.1.1', 80)) != 0, os.path.exists(sys.argv[3]))\n"
        "pathlib.Path('out').write_text('written')\n"
        "import torch; print(torch.ones(3).sum().item())\n"
    )
    argv = [sys.executable, "-c", script, "x", str(tmp_path), str(HOME / "solutions")]
    command = sandbox.command(
        argv, writable=[tmp_path / "in"], cwd=tmp_path / "in", environment={"MARK": "here"}
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    expected = f"False here {tmp_path / 'in'}\nTrue False\n3.0\n"
    assert done.stdout == expected, done.stderr
    assert (tmp_path / "in" / "out").read_text() == "written"


LIMITED = (
    "import os, sys\n"
    "from resource import RLIMIT_CORE, RLIMIT_FSIZE, getrlimit\n"
    "print(getrlimit(RLIMIT_FSIZE)[0], getrlimit(RLIMIT_CORE))\n"
    "sys.stdout.flush()\n"
    "children = 0\n"
    "try:\n"
    "    while True:\n"
    "        if os.fork() == 0:\n"
    "            import signal; signal.pause()\n"
    "        children += 1\n"
    "        if children > 3000: break\n"
    "except OSError:\n"
    "    pass\n"
    "print(children < 3000)\n"
    "sys.stdout.flush()\n"
    "os._exit(3)\n"
)


@pytest.mark.parametrize("mode", ["off", "auto"])
def test_a_program_is_under_limits_and_its_end_is_told(mode: Any, tmp_path: Path) -> None:
    fake = tmp_path / "ringlab"
    fake.mkdir()
    (fake / "__init__.py").write_text("raise SystemExit('the wrong ringlab')")
    sandbox.use(mode)
    try:
        argv = [sys.executable, "-I", "-S", "-c", LIMITED]
        command = sandbox.command(argv, writable=[tmp_path])
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    finally:
        sandbox.use("auto")
    assert done.returncode == 3, done.stderr
    first, counted, *_ = done.stdout.splitlines()
    assert first == f"{1 << 30} (0, 0)"
    # Root without a control group is counted in the ranks alone.
    assert counted == "True" or (os.geteuid() == 0 and not any(limits._parents()))
    assert commands_with(LIMITED) == []


def test_gpus_are_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    devices = ["/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"]
    found = {"/dev/nvidia*": devices}
    monkeypatch.setattr("glob.glob", lambda pattern: found.get(pattern, []))
    arguments = " ".join(sandbox._mounts())
    for device in devices:
        assert f"--dev-bind {device} {device}" in arguments
    assert "--ro-bind-try /sys /sys" in arguments


def test_a_refused_sandbox_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: no permission' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(sandbox, "programs", lambda: [str(program)])
    sandbox._find.cache_clear()
    try:
        found = sandbox.probe()
        assert found.name == "none" and not found.guarantees
        assert words.REFUSED.format(reason="bwrap: no permission") in found.missing
        with pytest.raises(sandbox.SandboxUnavailable, match="no permission"):
            sandbox.use("require")
    finally:
        sandbox._find.cache_clear()
