"""Lesson 12: the worker that every rank runs, done right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringlab.catalog.exercise import Exercise
from ringlab.catalog.shared import no_cases

if TYPE_CHECKING:
    from ringlab.grading.source import SourceRules
    from ringlab.grading.trial import Trial

TASK = """\
Write the function that `mp.spawn` runs in each of `world_size` new processes.

1. **Join a process group** of this rank and `world_size` ranks: NCCL if every rank can have a GPU
   of its own, else gloo. Whoever starts the ranks has set `MASTER_ADDR` and `MASTER_PORT`.
2. **The gradient**, `torch.full((1024,), float(rank + 1))`: its mean over the ranks, by an
   all_reduce.
3. **The feature**, `torch.full((128,), float(rank))`: all ranks' features, by an all_gather.
4. **Assert both**, every element, on every rank.
5. **Leave no group behind**, also when something before went wrong; and let the error out.
"""

HINTS = (
    "`dist.init_process_group(backend, rank=rank, world_size=world_size)` with no address reads it "
    "from the environment. Don't set `MASTER_PORT`: a fixed port is taken as soon as two graders "
    "run at once.",
    "What must happen whatever happens before belongs into the `finally` of a `try`.",
    "On rank r of N every element of the mean is (N + 1) / 2; piece s of what was gathered is s "
    "everywhere. `torch.allclose` and `torch.equal` compare every element; `assert (a, b)` asserts "
    "a tuple, which is always true.",
    "With NCCL: `torch.cuda.set_device(rank)` before the group is made, and tensors on that GPU.",
)


def rules() -> SourceRules:
    """An all_reduce, an all_gather and a group of its own; it may read the environment."""
    from ringlab.grading.source import ALL_GATHER, ALL_REDUCE, Policy, SourceRules

    own_group = ("init_process_group", "destroy_process_group", "is_initialized")
    return SourceRules(
        name="run_worker",
        kind="function",
        parameters=("rank", "world_size"),
        required_communication=((ALL_REDUCE, ALL_GATHER),),
        policy=Policy(
            modules=(
                ("torch.distributed", own_group),
                ("os", ("environ", "getenv")),
                ("time", ("perf_counter", "monotonic", "time")),
            )
        ),
    )


def trial() -> Trial:
    """It makes its own group, so it is tried on ranks that have none."""
    from ringlab.grading.worker import try_worker

    return try_worker


EXERCISE = Exercise(
    id="run_worker",
    lesson=12,
    points=8,
    title="The worker",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(),
    cases=no_cases,
    trial=trial,
)
