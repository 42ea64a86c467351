"""The experiments measure what they say, check their sums, and write it down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ringlab.bench.all_reduces import all_reduce_names, compare_algorithms
from ringlab.bench.bandwidth import Bandwidth, algbw, bus_factor, busbw, measure_bandwidth
from ringlab.bench.fusion import FUSED, METHODS, ONE, FusionSweep, sweep_fusion
from ringlab.bench.link import LinkTimes, measure_link
from ringlab.cost import Link, flat
from ringlab.world.client import WorldError
from ringlab.world.run import NotWritten

ROOT = Path(__file__).resolve().parents[2]


def quiet(number: int, count: int, name: str) -> None:
    """No progress."""


def test_bandwidths_are_those_of_nccl_tests() -> None:
    assert algbw(16e6, 1e-3) == 16e9
    assert busbw(16e6, 1e-3, 8) == pytest.approx(16e9 * 1.75)
    assert busbw(16e6, 1e-3, 8, "all_gather") == pytest.approx(16e9 * 7 / 8)
    assert bus_factor("broadcast", 8) == bus_factor("sendrecv", 8) == 1
    with pytest.raises(ValueError, match="known: all_reduce"):
        bus_factor("barrier", 8)


def test_utilisation_is_bus_bandwidth_over_the_peak_of_the_run() -> None:
    found = Bandwidth(4, "gloo", 3e9, {1 << 20: [1e-3, 9e-4, 2e-3]})
    assert found.median(1 << 20) == 1e-3
    assert found.utilisation(1 << 20) == pytest.approx((1 << 20) / 1e-3 * 1.5 / 3e9)
    assert Bandwidth(1, "gloo", 0.0, {4: [1.0]}).utilisation(4) == 0


def test_gain_is_median_over_median() -> None:
    samples = {(4, 1024): {ONE: [8.0, 9.0, 100.0], FUSED: [3.0, 2.0, 3.5]}}
    sweep = FusionSweep(2, "gloo", 1e9, samples)
    assert sweep.gain(4, 1024) == 3
    assert sweep.spread(4, 1024, ONE) == (8.0, 100.0)
    with pytest.raises(LookupError, match="5 tensors of 1024 bytes"):
        sweep.gain(5, 1024)


def test_every_algorithm_is_timed_beside_the_backend() -> None:
    times = compare_algorithms(2, [1 << 10, 1 << 14], 2, progress=quiet)
    assert set(times.samples) == {"gloo", *all_reduce_names()}
    assert all(len(s) == 2 for by_size in times.samples.values() for s in by_size.values())
    assert times.least("ring", 1 << 10) == min(times.samples["ring"][1 << 10])
    assert len(times.points()) == 2 * len(all_reduce_names())
    assert 0 < times.memory < 2 << 30
    json.dumps(times.to_json())
    assert times.chart(flat(2, Link(1e-5, 1e-9))).png().startswith(b"\x89PNG")
    typical, worst = times.model_error(flat(2, Link(1e-5, 1e-9)))
    assert 1 <= typical <= worst


def test_the_sweep_times_all_ways_and_ones_own() -> None:
    mine = {"mine": METHODS[FUSED]}
    sweep = sweep_fusion([2, 3], [1 << 10], 2, 2, methods=mine, progress=quiet)
    assert isinstance(sweep, FusionSweep)
    assert list(sweep.samples) == [(2, 1 << 10), (3, 1 << 10)]
    assert sweep.methods == (*METHODS, "mine")
    assert sweep.peak > 0 and "mine" in sweep.text()
    json.dumps(sweep.to_json())
    chart = sweep.chart()
    assert "3 tensors of 1 KiB" in chart.alt
    data, metadata = chart._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"} and metadata["image/png"]["alt"] == chart.alt


def forgets_to_copy_back(tensors: list[Any]) -> None:
    import torch
    import torch.distributed as dist

    dist.all_reduce(torch.cat(tensors))


def not_written(tensors: list[Any]) -> None:
    raise NotImplementedError


def test_a_wrong_sum_is_not_timed() -> None:
    with pytest.raises(WorldError, match="mine gave a wrong sum"):
        sweep_fusion([2], [64], 2, 1, methods={"mine": forgets_to_copy_back}, progress=quiet)


def test_an_answer_that_is_not_there_yet_fails_no_cell() -> None:
    found = sweep_fusion([2], [64], 2, 1, methods={"mine": not_written}, progress=quiet)
    assert isinstance(found, NotWritten) and "not_written" in found.text()


def test_a_sweep_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="small enough"):
        sweep_fusion([2], [1 << 20], 2, 1, most_bytes=1 << 20, progress=quiet)


def test_the_link_is_fitted_to_the_fastest_samples() -> None:
    sizes = [1 << k for k in range(6, 24, 3)]
    times = LinkTimes("gloo", {n: [1.0, 1e-5 + 1e-9 * n, 0.5] for n in sizes})
    assert tuple(times.fit()) == pytest.approx((1e-5, 1e-9))
    assert [n for n, _ in times.least(1000)] == [n for n in sizes if n <= 1000]
    assert times.chart().png().startswith(b"\x89PNG")


def test_links_and_bandwidths_are_measured_on_real_ranks() -> None:
    assert measure_link([64, 1 << 12], 2).median(64) > 0
    found = measure_bandwidth(2, [1 << 12], 2, progress=quiet)
    assert found.peak > 0 and "busbw" in found.text()


def bench(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_an_experiment_runs_unchanged_under_torchrun(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--standalone"]
    options = ["--experiment", "fusion", "--quick", "--json", "f.json", "--chart", "f.png"]
    done = bench([*command, "-m", "ringlab.bench", *options], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("2 ranks, gloo") == 1
    written = json.loads((tmp_path / "f.json").read_text())
    assert written["world_size"] == 2 and len(written["points"]) == 6 * len(METHODS)
    assert (tmp_path / "f.png").stat().st_size > 1000


def test_the_command_names_the_experiments(tmp_path: Path) -> None:
    done = bench([sys.executable, "-m", "ringlab.bench", "--experiment", "speed"], tmp_path)
    assert done.returncode == 2 and "fusion" in done.stderr
