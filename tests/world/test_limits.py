"""Code that takes too much of the machine ends in a clear sentence, leaves nothing, and the next
run works. Each way is tried for real, with and without the sandbox.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from ringlab.world import limits, sandbox
from ringlab.world.client import HOST, MachineryError, Ranks, Turn
from ringlab.world.explain import explain
from ringlab.world.limits import GIB, JUDGED, LEARNING, MIB, Limits, beyond, over
from ringlab.world.run import run
from ringlab.world.travel import by_value

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other kernels limit less")
DEADLINE = 5.0
MODES = ["off", "auto"] if sandbox.probe().name == "bubblewrap" else ["off"]


@pytest.fixture(scope="module", params=MODES)
def protected(request: pytest.FixtureRequest) -> Iterator[str]:
    sandbox.use(request.param)
    yield request.param
    sandbox.use("off")


def attack(fn: Callable[..., Any], *arguments: Any, allowed: Limits = JUDGED) -> tuple[Turn, str]:
    """Call `fn` on two ranks as a judge does; how it ended, in words.

    Afterwards nothing may be left, and the next run must work.
    """
    request = {"do": "ringlab.world.calls:call", "name": "attack", "record": True}
    before = set(Path(tempfile.gettempdir()).glob("ringlab-*"))
    with Ranks(2, limits=allowed) as ranks:
        mine = Path(ranks._folder) if ranks._folder else None
        begun = time.monotonic()
        turn = ranks.turn([(request, by_value((fn, arguments, {}), fn))] * 2, DEADLINE)
        assert time.monotonic() - begun < DEADLINE + 5
    said = "" if turn.ended == "returned" else explain(turn, "attack", DEADLINE).text()
    assert mine is None or (mine in before or not mine.exists())
    assert run(os.getpid, 2).world_size == 2
    wait_until_only_the_host_is_left()
    return turn, said


def wait_until_only_the_host_is_left() -> None:
    assert HOST.pid is not None
    end = time.monotonic() + 20
    while time.monotonic() < end:
        below = psutil.Process(HOST.pid).children(recursive=True)
        # bubblewrap's outer process has the host below it.
        if len(below) <= (sandbox.current() is not None):
            return
        time.sleep(0.05)
    raise AssertionError(f"left: {below}")


def test_a_fork_bomb_is_stopped(protected: str) -> None:
    def bomb() -> None:
        import os

        while True:
            os.fork()

    turn, said = attack(bomb)
    # Counted as too many, or so slow by then that the deadline comes first.
    assert turn.ended in ("failed", "deadline")
    assert turn.ended == "deadline" or ("processes" in said and "at once" in said)


def test_processes_that_wait_patiently_are_no_danger(protected: str) -> None:
    def pile_up() -> None:
        import os
        import time

        while True:
            try:
                if os.fork() == 0:
                    time.sleep(100)
            except OSError:
                time.sleep(0.01)

    turn, said = attack(pile_up)
    assert turn.ended == "failed"
    assert f"{JUDGED.processes} processes at once, or more" in said


def test_threads_without_end_are_refused(protected: str) -> None:
    def start() -> None:
        import threading
        import time

        while True:
            threading.Thread(target=time.sleep, args=(100,), daemon=True).start()

    _, said = attack(start)
    assert f"a rank may have {JUDGED.processes} processes and threads at once" in said


def test_endless_output_ends_at_the_deadline(protected: str) -> None:
    def talk() -> None:
        while True:
            print("x" * 1000)

    turn, said = attack(talk)
    assert "did not finish in 5 s" in said
    assert all(len(text) < 100_000 for text in turn.outputs)
    assert "more characters were cut" in turn.outputs[0]


def test_a_file_of_ten_terabytes_is_refused(protected: str) -> None:
    def write() -> None:
        with open("big", "wb") as file:
            file.truncate(10 << 40)

    _, said = attack(write)
    assert "a file may have 64 MiB here" in said


def test_a_file_that_grows_is_stopped(protected: str) -> None:
    def write() -> None:
        with open("big", "wb") as file:
            while True:
                file.write(b"x" * (1 << 20))

    _, said = attack(write)
    assert "a file may have 64 MiB here" in said


def test_many_files_are_stopped(protected: str) -> None:
    def write() -> None:
        number = 0
        while True:
            number += 1
            with open(f"big{number}", "wb") as file:
                for _ in range(32):
                    file.write(b"x" * (1 << 20))

    _, said = attack(write)
    told = "wrote more than 256 MiB" if protected == "off" else "no more room where a run may write"
    assert told in said


def test_empty_files_without_end_are_stopped(protected: str) -> None:
    def write() -> None:
        number = 0
        while True:
            number += 1
            open(f"file{number}", "w").close()

    _, said = attack(write)
    told = "more than 20000 files" if protected == "off" else "no more room where a run may write"
    assert told in said


def test_an_endless_list_is_stopped(protected: str) -> None:
    def collect() -> None:
        kept = []
        while True:
            kept.append(bytes(64 << 20))

    _, said = attack(collect)
    assert "raised MemoryError" in said
    assert "a rank may take 4 GiB of memory here" in said


def test_a_tensor_that_does_not_fit_is_refused(protected: str) -> None:
    def allocate() -> None:
        import torch

        torch.empty(1 << 40)

    _, said = attack(allocate)
    assert "a rank may take 4 GiB of memory here" in said


def test_sockets_without_end_are_refused(protected: str) -> None:
    def open_sockets() -> None:
        import socket

        kept: list[Any] = []
        try:
            while True:
                kept.append(socket.socket())
        finally:
            print(len(kept) < 1024)

    turn, said = attack(open_sockets)
    assert turn.outputs == ["True\n"] * 2
    assert "a rank may have 1024 files and sockets open at once" in said


def test_a_rank_that_sleeps_does_not_hold_up_the_others(protected: str) -> None:
    def sleep() -> None:
        import time

        import torch.distributed as dist

        if dist.get_rank() == 1:
            time.sleep(1000)
        dist.barrier()

    _, said = attack(sleep)
    assert "rank 1  was still running" in said
    assert "Rank 1 never came to the barrier in which rank 0 waits" in said


def test_a_process_that_never_stands_still_is_caught(protected: str) -> None:
    def hop() -> None:
        import os

        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            while True:
                if os.fork():
                    os._exit(0)

    turn, _ = attack(hop)
    assert turn.ended == "returned", "the daemon is no business of the call's"


def test_a_rank_dumps_no_core_and_leaves_home_alone(protected: str) -> None:
    def look() -> list[Any]:
        import os
        import resource
        import tempfile

        return [
            resource.getrlimit(resource.RLIMIT_CORE),
            os.environ["HOME"] == os.getcwd(),
            tempfile.gettempdir() == os.path.dirname(os.getcwd()),
            open("/proc/self/oom_score_adj").read().strip(),
        ]

    request = {"do": "ringlab.world.calls:call", "name": "look", "record": False}
    with Ranks(1, limits=JUDGED) as ranks:
        turn = ranks.turn([(request, by_value((look, (), {}), look))], 20)
    core, home, temporary, score = pickle.loads(turn.outcomes[0].payload)
    assert core == (0, 0)
    assert home and temporary
    assert score == "1000"


def test_host_and_grader_cannot_be_read_or_traced_without_a_sandbox() -> None:
    def attack(host: int, grader: int) -> list[str]:
        import ctypes
        import os

        libc = ctypes.CDLL(None, use_errno=True)
        broken = []
        for pid in (host, grader, os.getppid()):
            # PTRACE_SEIZE stops nothing, as PTRACE_ATTACH would.
            if libc.ptrace(0x4206, pid, None, None) == 0:
                broken.append("traced")
            try:
                with open(f"/proc/{pid}/mem", "rb") as file:
                    file.read(0)
                broken.append("opened")
            except OSError:
                pass
        return broken

    sandbox.use("off")
    run(os.getpid, 1)
    request = {"do": "ringlab.world.calls:call", "name": "attack", "record": False}
    with Ranks(1, limits=JUDGED) as ranks:
        payload = by_value((attack, (HOST.pid, os.getpid()), {}), attack)
        turn = ranks.turn([(request, payload)], 20)
    assert pickle.loads(turn.outcomes[0].payload) == []


def test_a_killed_supervisor_is_never_a_pass() -> None:
    def kill_parent() -> None:
        import os
        import signal
        import time

        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(20)

    sandbox.use("off")
    with pytest.raises(MachineryError):
        run(kill_parent, 2, timeout=20)
    assert run(os.getpid, 2).world_size == 2
    wait_until_only_the_host_is_left()


def test_a_learner_gets_most_of_the_machine() -> None:
    free = psutil.virtual_memory().available
    assert LEARNING.mapped >= min(2 * GIB, free // 2)
    assert LEARNING.mapped >= 0.7 * free - GIB


def test_a_gigabyte_and_a_file_of_a_hundred_megabytes_are_fine_for_a_learner() -> None:
    def work() -> int:
        import torch

        tensor = torch.ones(1 << 28)
        torch.save(torch.ones(25 << 20), "checkpoint.pt")
        return int(tensor.numel())

    sandbox.use("off")
    assert run(work, 1).results == [1 << 28]


def test_what_lies_in_a_folder_is_counted_and_links_are_not_followed(tmp_path: Path) -> None:
    allowed = Limits(None, MIB, MIB, 10, 5, 20, strict=True)
    folder = tmp_path / "run"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "small").write_bytes(b"x" * 1000)
    (tmp_path / "outside").write_bytes(b"x" * (4 * MIB))
    (folder / "link").symlink_to(tmp_path / "outside")
    assert over(allowed, 2, 5, folder) == ""
    assert "5 processes at once" in over(allowed, 2, 6, folder)
    (folder / "deep" / "large").write_bytes(b"x" * (2 * MIB))
    assert "more than 1 MiB" in over(allowed, 2, 1, folder)
    for number in range(10):
        (folder / f"empty{number}").touch()
    assert "more than 10 files" in over(allowed, 2, 1, folder)


@pytest.mark.parametrize(
    ("kind", "message", "said"),
    [
        ("MemoryError", "", "4 GiB of memory"),
        ("OSError", "[Errno 12] Cannot allocate memory", "4 GiB of memory"),
        ("RuntimeError", "std::bad_alloc", "4 GiB of memory"),
        ("OSError", "[Errno 27] File too large", "64 MiB"),
        ("OSError", "[Errno 28] No space left on device", "no more room"),
        ("OSError", "[Errno 24] Too many open files", "1024"),
        ("BlockingIOError", "[Errno 11] Resource temporarily unavailable", "256 processes"),
        ("ValueError", "no such chunk", ""),
    ],
)
def test_an_error_that_a_limit_made_says_which(kind: str, message: str, said: str) -> None:
    found = beyond(kind, message, JUDGED)
    assert said in found and bool(said) == bool(found)


def test_root_is_counted_by_a_control_group_where_one_can_be_made() -> None:
    group = limits.Group.make(10)
    if group is None:
        assert os.geteuid() != 0 or not any(limits._parents())
        return
    try:
        assert (group.folder / "pids.max").read_text().strip() == "10"
        assert group.members() == []
    finally:
        group.remove()
    assert not group.folder.exists()
