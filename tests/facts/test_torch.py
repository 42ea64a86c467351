"""What the course relies on in torch. When torch is upgraded, what fails here is what changed.

PRIVATE lists every name of torch that is not documented as public and that ringlab uses.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from ringlab.trace.recorder import NAMES
from ringlab.world.run import attempt, run

RINGLAB = Path(__file__).parents[2] / "ringlab"

PRIVATE = {
    "torch.multiprocessing.reductions.StorageWeakRef": "which storages are still alive",
    "torch.utils._python_dispatch.TorchDispatchMode": "sees every operation",
    "torch.utils._python_dispatch.TorchDispatchMode._should_skip_dynamo": "keeps Dynamo unloaded",
    "torch._C._distributed_c10d._resolve_process_group": "the group of a functional collective",
    "torch.distributed.distributed_c10d._coalescing_manager": "torch's own fusion, measured",
    "torch._C._distributed_c10d.FileStore": "where a worker's ranks meet",
    "torch._C.Future": "a wait by way of a future",
    "torch._C._collect_all": "a wait for several futures",
    "torch.distributed.distributed_c10d._new_group_with_tag": "a new_group that hangs",
    "torch.utils._python_dispatch._disable_current_modes": "read a tensor unseen by the mode",
    "torch.multiprocessing.spawn.start_processes": "what mp.spawn itself calls",
    "torch.distributed._functional_collectives.AsyncCollectiveTensor": "a wait by using the result",
    "torch.distributed.Work.unbox": "the work object behind what an operation returns",
    "torch.distributed.ProcessGroup.unbox": "the group behind an operation's argument",
}


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_name_is_still_there(name: str) -> None:
    parts = name.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for part in parts[split:]:
            found = getattr(found, part)
        return
    raise AssertionError(name)


def test_the_list_of_private_names_is_complete() -> None:
    used = set()
    for file in RINGLAB.rglob("*.py"):
        if file.parent.name == "grading" and file.stem in ("allowed", "torch_names", "policy"):
            continue
        found = re.findall(r"from (torch\.[\w.]+) import ([\w, ]+)", file.read_text())
        for module, names in found:
            for name in map(str.strip, names.split(",")):
                if "._" in module or name.startswith("_"):
                    used.add(f"{module}.{name}")
    assert used <= set(PRIVATE), used - set(PRIVATE)


def test_the_version_that_the_course_was_written_for() -> None:
    assert torch.__version__.split("+")[0] == "2.13.0"


def test_every_operation_of_the_dispatcher_is_known_by_a_field_name() -> None:
    registered = {
        name.partition("::")[2]
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("c10d::")
    }
    registered = {name.partition(".")[0] for name in registered}
    assert set(NAMES) <= registered, set(NAMES) - registered


def avg() -> list[float]:
    tensor = torch.tensor([float(dist.get_rank())])
    dist.all_reduce(tensor, op=dist.ReduceOp.AVG)
    return tensor.tolist()


def test_gloo_knows_avg() -> None:
    assert run(avg, 4).results == [[1.5]] * 4


def bfloat16_rounds_in_the_order_of_addition() -> tuple[float, float]:
    big, one = torch.tensor(256.0, dtype=torch.bfloat16), torch.tensor(1.0, dtype=torch.bfloat16)
    return ((big + one) + one).item(), (big + (one + one)).item()


def test_bfloat16_rounds_in_the_order_of_addition() -> None:
    assert bfloat16_rounds_in_the_order_of_addition() == (256.0, 258.0)


def test_gloo_refuses_to_send_what_is_not_contiguous() -> None:
    def transposed() -> None:
        tensor = torch.ones(2, 3).t()
        if dist.get_rank() == 0:
            dist.send(tensor, 1)
        else:
            dist.recv(torch.empty(3, 2), 0)

    failure = attempt(transposed, 2).failure
    assert failure is not None and "contiguous" in failure.text()


def test_gloo_sums_a_transposed_tensor() -> None:
    def transposed() -> list[list[float]]:
        tensor = torch.arange(6.0).reshape(2, 3).t()
        dist.all_reduce(tensor)
        return tensor.tolist()

    assert run(transposed, 2).results[0] == [[0.0, 6.0], [2.0, 8.0], [4.0, 10.0]]


def test_a_small_send_waits_for_its_receive() -> None:
    def circle() -> None:
        rank, size = dist.get_rank(), dist.get_world_size()
        dist.send(torch.ones(16), (rank + 1) % size)
        dist.recv(torch.ones(16), (rank - 1) % size)

    failure = attempt(circle, 2).failure
    assert failure is not None and failure.kind == "hung"


def test_a_longer_message_aborts_the_receiver() -> None:
    def longer() -> None:
        if dist.get_rank() == 0:
            dist.send(torch.ones(8), 1)
        else:
            dist.recv(torch.ones(4), 0)

    failure = attempt(longer, 2).failure
    assert failure is not None and failure.kind == "died" and "SIGABRT" in failure.text()


def test_a_shorter_message_fills_the_buffer_in_part_and_says_nothing() -> None:
    def shorter() -> list[float]:
        tensor = torch.zeros(4)
        if dist.get_rank() == 0:
            dist.send(torch.ones(2), 1)
        else:
            dist.recv(tensor, 0)
        return tensor.tolist()

    assert run(shorter, 2).results[1] == [1.0, 1.0, 0.0, 0.0]


def test_a_rank_cannot_send_to_itself() -> None:
    def to_itself() -> None:
        dist.isend(torch.ones(1), dist.get_rank()).wait()

    failure = attempt(to_itself, 1).failure
    assert failure is not None and failure.kind == "raised"


def test_the_old_names_of_the_single_tensor_collectives_are_deprecated() -> None:
    assert hasattr(dist, "all_gather_single") and hasattr(dist, "reduce_scatter_single")
    for old in (dist.all_gather_into_tensor, dist.reduce_scatter_tensor):
        assert "deprecated" in inspect.getsource(inspect.unwrap(old)) or "deprecated" in str(
            getattr(old, "__deprecated__", "")
        )


def test_the_default_timeout_is_half_an_hour() -> None:
    from torch.distributed.constants import default_pg_timeout

    assert default_pg_timeout.total_seconds() == 1800


def test_recording_does_not_load_dynamo() -> None:
    def loaded() -> bool:
        import sys

        dist.all_reduce(torch.ones(2))
        return "torch._dynamo" in sys.modules

    assert run(loaded, 2).results == [False, False]


def test_there_is_one_thread_after_importing_torch_so_that_forking_is_safe() -> None:
    def threads() -> int:
        import os

        import psutil

        return psutil.Process(os.getppid()).num_threads()

    assert run(threads, 1).results == [1]
