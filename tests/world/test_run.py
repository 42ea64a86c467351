"""Running functions on real ranks, and saying what went wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
import torch.distributed as dist

from ringlab.world.client import HOST, WorldError
from ringlab.world.run import NotWritten, RankDied, RankFailed, RanksHung, attempt, run, try_run

HOME = Path(__file__).parents[2]


def rank_plus(number: int) -> int:
    return dist.get_rank() + number


def total() -> list[float]:
    tensor = torch.full((3,), float(dist.get_rank() + 1))
    dist.all_reduce(tensor)
    return tensor.tolist()


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_results_come_back_in_rank_order(start: str) -> None:
    done = run(rank_plus, 3, 10, start=start, timeout=120)
    assert done.results == [10, 11, 12]
    assert (done.start, done.backend) == (start, "gloo")


def test_ranks_talk_to_each_other() -> None:
    assert run(total, 4).results == [[10.0] * 3] * 4


def test_output_is_grouped_by_rank() -> None:
    def speak() -> None:
        print("first of", dist.get_rank())
        print("second", file=sys.stderr)
        os.write(1, b"raw\n")

    done = run(speak, 3)
    assert done.outputs == [f"first of {rank}\nsecond\nraw\n" for rank in range(3)]


def test_a_closure_travels_by_value() -> None:
    factor = 7

    def times() -> int:
        return dist.get_rank() * factor

    assert run(times, 3).results == [0, 7, 14]


def test_a_megabyte_of_output_is_cut_and_said_so() -> None:
    def shout() -> None:
        print("x" * 1_000_000)

    output = run(shout, 2).outputs[0]
    assert len(output) < 100_000
    assert "more characters were cut" in output


def test_twenty_runs_in_a_row() -> None:
    for number in range(20):
        assert run(rank_plus, 2, number).results == [number, number + 1]


def test_eight_runs_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda number: run(rank_plus, 2, number).results, range(8)))
    assert results == [[number, number + 1] for number in range(8)]


def test_an_exception_names_rank_and_line() -> None:
    def fail() -> None:
        if dist.get_rank() == 2:
            raise ValueError("no such chunk")
        dist.all_reduce(torch.ones(2))

    with pytest.raises(RankFailed) as caught:
        run(fail, 4)
    text = str(caught.value)
    assert "Rank 2 failed in fail" in text
    assert "rank 2  raised ValueError: no such chunk" in text
    assert 'raise ValueError("no such chunk")' in text
    assert "rank 0  was waiting in all_reduce" in text


def test_sys_exit_is_no_success() -> None:
    def leave() -> None:
        sys.exit(0)

    with pytest.raises(RankFailed, match="ended its process"):
        run(leave, 2)


def test_a_process_that_ends_itself_is_no_success() -> None:
    def leave() -> None:
        os._exit(0)

    with pytest.raises(RankFailed, match="exit code 0"):
        run(leave, 2)


def test_a_circle_of_sends_is_explained() -> None:
    def circle() -> None:
        rank, size = dist.get_rank(), dist.get_world_size()
        dist.send(torch.ones(4), (rank + 1) % size)
        dist.recv(torch.ones(4), (rank - 1) % size)

    begun = time.monotonic()
    with pytest.raises(RanksHung) as caught:
        run(circle, 4, timeout=60)
    assert time.monotonic() - begun < 30, "a hang is seen long before the deadline"
    text = str(caught.value)
    assert "rank 3  waits in send to rank 0" in text
    assert "dist.send(torch.ones(4)" in text
    assert "A circle: 0 → 1 → 2 → 3 → 0" in text


def test_a_rank_that_never_came_is_named() -> None:
    def early() -> None:
        if dist.get_rank() == 1:
            return
        dist.all_reduce(torch.ones(2))

    with pytest.raises(RanksHung, match="Rank 1 never came to the all_reduce"):
        run(early, 3)


def test_the_first_divergence_is_named() -> None:
    def other_order() -> None:
        if dist.get_rank() == 1:
            dist.barrier()
            dist.all_reduce(torch.ones(2))
        else:
            dist.all_reduce(torch.ones(2))
            dist.barrier()

    with pytest.raises(RanksHung, match="first differ at number 1: rank 0: all_reduce; rank 1"):
        run(other_order, 3)


def test_a_rank_that_computes_for_ever_is_stopped_at_the_deadline() -> None:
    def spin() -> None:
        while dist.get_rank() == 1:
            pass

    with pytest.raises(RanksHung) as caught:
        run(spin, 2, timeout=1.5)
    assert "did not finish in 2 s" in str(caught.value)
    assert "rank 1  was still running   line" in str(caught.value)
    assert "rank 0  has returned" in str(caught.value)


def test_sizes_that_differ_are_named_when_gloo_aborts() -> None:
    def longer() -> None:
        if dist.get_rank() == 0:
            dist.send(torch.ones(8), 1)
        else:
            dist.recv(torch.ones(4), 0)

    with pytest.raises(RankDied) as caught:
        run(longer, 2)
    assert "SIGABRT" in str(caught.value)
    assert "Rank 0 sends 32 bytes to rank 1" in str(caught.value)
    assert "room for 16" in str(caught.value)


def test_sizes_of_a_collective_that_differ_are_named() -> None:
    def differ() -> None:
        dist.all_reduce(torch.ones(4 if dist.get_rank() else 8))

    failure = attempt(differ, 3, timeout=10).failure
    assert failure is not None
    assert "rank 0 has float32 [8], 32 bytes, rank 1 has float32 [4], 16 bytes" in failure.text()


def test_a_dropped_send_is_named() -> None:
    def drop() -> None:
        if dist.get_rank() == 0:
            dist.isend(torch.ones(4), 1)
        else:
            dist.recv(torch.ones(4), 0)

    failure = attempt(drop, 2, timeout=10).failure
    if failure is not None:
        assert "Rank 0 posted a send to rank 1" in failure.text()
        assert "never waits for it" in failure.text()


@pytest.mark.parametrize("world_size", [0, -1, 65, "4", 2.0, True])
def test_a_world_size_that_makes_no_sense_is_refused(world_size: Any) -> None:
    with pytest.raises(WorldError, match="how many ranks"):
        run(total, world_size)


def test_more_ranks_than_memory_bears_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Memory:
        available = 100 << 20

    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    with pytest.raises(WorldError, match="Use at most 1 ranks here"):
        run(total, 8)


def test_a_function_that_cannot_travel_is_refused_with_the_reason() -> None:
    lock = threading.Lock()

    def keeps_a_lock() -> Any:
        return lock

    with pytest.raises(WorldError, match="keeps_a_lock can't travel.*lock"):
        run(keeps_a_lock, 2)


def test_a_result_that_cannot_travel_is_refused_with_the_reason() -> None:
    def makes_a_lock() -> Any:
        return threading.Lock()

    with pytest.raises(WorldError, match="what makes_a_lock returned on rank 0"):
        run(makes_a_lock, 2)


def test_an_unwritten_function_is_shown_in_one_line() -> None:
    def answer() -> None:
        raise NotImplementedError

    shown = try_run(answer, 2)
    assert isinstance(shown, NotWritten)
    assert "\n" not in shown.text()


def test_nothing_is_left_behind() -> None:
    def detach() -> tuple[int, str]:
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        Path("here").write_text("x")
        return child.pid, os.environ["TMPDIR"]

    for pid, folder in run(detach, 2).results:
        assert not is_alive(pid)
        assert "ringlab-" in folder and not Path(folder).exists()
    assert HOST._process is not None
    host = psutil.Process(HOST._process.pid)
    wait_for(lambda: not any(map(is_alive, [p.pid for p in host.children(recursive=True)])) or None)


def test_a_killed_parent_leaves_nothing_behind(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "from ringlab.world.run import run\n"
        "def sleep(folder):\n"
        "    Path(folder, f'pid{os.getpid()}').write_text('')\n"
        "    time.sleep(600)\n"
        f"run(sleep, 2, {str(tmp_path)!r}, timeout=600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(HOME), "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen([sys.executable, str(script)], env=environment)
    try:
        pids = wait_for(lambda: pids_in(tmp_path) if len(pids_in(tmp_path)) == 2 else None)
    finally:
        parent.kill()
        parent.wait()
    wait_for(lambda: not any(map(is_alive, pids)) or None)
    wait_for(lambda: not list(tmp_path.glob("ringlab-*")) or None)


def pids_in(folder: Path) -> list[int]:
    return [int(path.name.removeprefix("pid")) for path in folder.glob("pid*")]


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != "zombie"
    except psutil.NoSuchProcess:
        return False


def wait_for(found: Any, seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while (value := found()) is None:
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)
    return value


@pytest.mark.parametrize("start", ["auto", "spawn"])
def test_a_script_without_a_main_guard_works(tmp_path: Path, start: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import torch, torch.distributed as dist\n"
        "import ringlab as lab\n"
        "def add():\n"
        "    tensor = torch.ones(1)\n"
        "    dist.all_reduce(tensor)\n"
        "    return tensor.item()\n"
        f"print(lab.run(add, 2, start={start!r}, timeout=120).results)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(HOME)}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=180
    )
    assert done.stdout == "[2.0, 2.0]\n", done.stderr


def test_import_ringlab_does_not_import_torch() -> None:
    code = "import sys, ringlab; ringlab.algorithms.ring(4); sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(HOME)})
    assert done.returncode == 0
