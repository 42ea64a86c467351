"""Lesson 12: an autograder that is not fooled by an exit, a hang, a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringlab.catalog.exercise import Exercise
from ringlab.catalog.shared import no_cases

if TYPE_CHECKING:
    from ringlab.grading.source import SourceRules
    from ringlab.grading.trial import Trial

TASK = """\
Grade a file that should define `run_worker(rank, world_size)`: start the ranks, one process each,
and say `"passed"`, `"failed"` or `"could not be judged"`. The last is for a file that can't be
read; everything else that goes wrong is `"failed"`.

* Passed means: on **every** rank run_worker has returned, and has called `dist.all_reduce` and
  `dist.all_gather`, under whatever names. Believe what a rank tells you afterwards, not its exit
  code and not what it prints.
* A **free port** each time: set `MASTER_ADDR` and `MASTER_PORT`; run_worker makes its own group.
* An answer at most **5 seconds after the timeout**, whatever the ranks do.
* **No process** is left then, not even one with a session of its own.

Any way of starting ranks is fine: `mp.spawn`, `subprocess`, fork. So is any module: your grader
runs in a process of its own. A function that is defined in a notebook can't be started by
`mp.spawn` (lesson 0); write the ranks' program into a file, as below, or give the cell to the
judge, which puts it into one.
"""

HINTS = (
    "Start with a program as text that takes the file's path, a rank, the world size: it loads the "
    "file with `importlib.util.spec_from_file_location`, calls `run_worker`, and only then writes "
    "a receipt with a random number that you have drawn for this run into a folder of yours.",
    "To count the collectives, put a function of your own in the place of `dist.all_reduce` and "
    "`dist.all_gather` before the file is loaded; then `from torch.distributed import all_reduce` "
    "in it finds yours.",
    "`socket.bind(('127.0.0.1', 0))` has the system choose a free port; `getsockname()` tells it.",
    "`Popen.wait(timeout)` raises `TimeoutExpired` and kills nobody. Let the ranks print into "
    "`subprocess.DEVNULL`: a pipe that nobody reads holds 64 KiB, and a process that lives on "
    "keeps it open.",
    "To find what a rank has left behind, put a random mark into the environment of what you "
    "start, go through `psutil.process_iter()`, and kill all who have it in `environ()`.",
)


def rules() -> SourceRules:
    """It reads files and starts processes: a program, not an answer that runs in a rank."""
    from ringlab.grading.source import SourceRules

    return SourceRules(
        name="grade_worker",
        kind="function",
        parameters=("path", "world_size", "timeout"),
        is_program=True,
    )


def trial() -> Trial:
    """It is tried on worker files that are drawn anew, in a process of its own."""
    from ringlab.grading.grader import try_grader

    return try_grader


EXERCISE = Exercise(
    id="grade_worker",
    lesson=12,
    points=15,
    title="An autograder",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(),
    cases=no_cases,
    trial=trial,
)
