"""How fast the course itself is: starting ranks, checking, drawing, recording, and the ring."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ringlab.bench.figures import Figure
from ringlab.words import bench as words

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20


def all_figures(quick: bool = False) -> list[Callable[[], list[Figure]]]:
    """The experiments, in order. quick: fewer repetitions, and none that uses spawn."""
    chosen = [import_time, player_step, lambda: recording(5 if quick else 15)]
    chosen += [lambda: ring_against_gloo(5 if quick else 15)]
    if quick:
        return chosen
    return [*chosen, run_against_spawn, check_against_spawn]


def import_time() -> list[Figure]:
    """Seconds of `import ringlab` in a fresh process, Python's own start taken off."""
    code = "import time; t = time.perf_counter(); import ringlab; print(time.perf_counter() - t)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    samples = [
        float(
            subprocess.run(
                [sys.executable, "-c", code],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for _ in range(7)
    ]
    return [Figure.of_seconds(words.IMPORT, samples)]


def player_step() -> list[Figure]:
    """Seconds in the kernel from one step of the player to the next."""
    from ringlab import algorithms
    from ringlab.view.player import Player

    figures = []
    for world_size in (4, 8, 16):
        player = Player(algorithms.get("ring")(world_size))
        samples = []
        for _ in range(3):
            for step in range(2 * (world_size - 1) + 1):
                begun = time.perf_counter()
                player.show_step(step)
                samples.append(time.perf_counter() - begun)
        player.close()
        figures.append(Figure.of_seconds(words.PLAYER_STEP.format(n=world_size), samples))
    return figures


def _one_all_reduce() -> None:
    import torch
    import torch.distributed as dist

    dist.all_reduce(torch.ones(4))


def _spawned(rank: int, world_size: int, store: str) -> None:
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world_size)
    _one_all_reduce()
    dist.destroy_process_group()


def run_against_spawn(repeats: int = 7) -> list[Figure]:
    """One all_reduce on 4 ranks, the whole call: `run` against `mp.spawn`, taking turns."""
    import tempfile

    from torch.multiprocessing.spawn import spawn

    from ringlab.world.run import run

    run(_one_all_reduce, 4)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(_seconds(lambda: run(_one_all_reduce, 4)))
        with tempfile.TemporaryDirectory() as folder:
            theirs.append(_seconds(functools.partial(spawn, _spawned, (4, f"{folder}/store"), 4)))
    return [
        Figure.of_seconds(words.RUN, ours),
        Figure.of_seconds(words.SPAWN, theirs),
        Figure.of_ratio(words.SPAWN_RATIO, theirs, ours),
    ]


def check_against_spawn(repeats: int = 7) -> list[Figure]:
    """`check` of the reference ring_all_reduce, every case, warm; and once with start="spawn"."""
    from ringlab import catalog
    from ringlab.grading.judge import judge

    exercise = catalog.get("ring_all_reduce")
    source = (ROOT / "solutions" / "ring_all_reduce.py").read_text()

    def once(start: str) -> None:
        report = judge(exercise, source, start=start)
        if not report.passed:
            raise RuntimeError(words.REFERENCE_FAILED)

    once("auto")
    before = _children_seconds()
    ours = [_seconds(lambda: once("auto")) for _ in range(repeats)]
    used = (_children_seconds() - before) / repeats
    theirs = [_seconds(lambda: once("spawn"))]
    return [
        Figure.of_seconds(words.CHECK, ours),
        Figure.of_seconds(words.CHECK_PROCESSOR, [used]),
        Figure.of_seconds(words.CHECK_SPAWN, theirs),
        Figure.of_ratio(words.CHECK_RATIO, theirs, ours),
    ]


def _children_seconds() -> float:
    """Processor seconds of this process and of all that its host has started and reaped."""
    import psutil

    from ringlab.world.client import HOST

    own = psutil.Process().cpu_times()
    total = own.user + own.system
    if HOST.pid is not None:
        times = psutil.Process(HOST.pid).cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return float(total)


def _timed_ring(solution: str, nbytes: int) -> float:
    import runpy

    import torch
    import torch.distributed as dist

    ring = runpy.run_path(solution)["ring_all_reduce"]
    tensor = torch.zeros(nbytes // 4)
    dist.barrier()
    begun = time.perf_counter()
    ring(tensor)
    return time.perf_counter() - begun


def recording(repeats: int, nbytes: int = 4 * MIB, world_size: int = 4) -> list[Figure]:
    """The reference ring with and without the recorder, on the same ranks, taking turns."""
    from ringlab.world.client import Ranks
    from ringlab.world.run import results_of
    from ringlab.world.travel import by_value

    solution = str(ROOT / "solutions" / "ring_all_reduce.py")
    payload = by_value((_timed_ring, (solution, nbytes), {}), _timed_ring)
    samples: dict[bool, list[float]] = {False: [], True: []}
    with Ranks(world_size) as ranks:
        for turn in range(2 + repeats):
            for record in (False, True):
                request = {"do": "ringlab.world.calls:call", "name": "ring", "record": record}
                done = ranks.turn([(request, payload)] * world_size, 60.0)
                if turn >= 2:
                    samples[record].append(max(results_of(done, "ring")))
    return [
        Figure.of_seconds(words.PLAIN, samples[False]),
        Figure.of_seconds(words.RECORDED, samples[True]),
        Figure.of_ratio(words.RECORDING_RATIO, samples[True], samples[False]),
    ]


def ring_against_gloo(repeats: int) -> list[Figure]:
    """The reference ring against gloo's own all_reduce, 4 ranks, taking turns."""
    import runpy

    import torch.distributed as dist

    from ringlab.bench.measure import Measured, measure

    ring = runpy.run_path(str(ROOT / "solutions" / "ring_all_reduce.py"))["ring_all_reduce"]
    figures = []
    for nbytes in (16 * MIB, 64 * MIB):
        measured = measure({"ring": ring, "gloo": dist.all_reduce}, 4, nbytes, repeats, 300.0)
        assert isinstance(measured, Measured)
        samples = {label: measured.samples[label][nbytes] for label in ("ring", "gloo")}
        mib = nbytes // MIB
        figures += [
            Figure.of_seconds(words.RING.format(mib=mib), samples["ring"]),
            Figure.of_seconds(words.GLOO.format(mib=mib), samples["gloo"]),
            Figure.of_ratio(words.RING_RATIO.format(mib=mib), samples["ring"], samples["gloo"]),
        ]
    return figures


def _seconds(do: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    do()
    return time.perf_counter() - begun
