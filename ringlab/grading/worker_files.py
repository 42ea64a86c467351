"""Worker files that a grader is tried on, drawn anew each time, each with the verdict it deserves.

A file is the text of a program that defines `run_worker(rank, world_size)`. Where PLACE stands in
it, a rank that has got so far leaves a note there: who it is, in how large a world, at which port.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from ringlab.grading.cases import pick
from ringlab.words import autograder as words

PLACE = "@PLACE@"
PASSED, FAILED, UNKNOWN = "passed", "failed", "could not be judged"
# Enough for a start of new Pythons on a crowded machine; less where a grader may wait for something
# that never comes, and where time running out gives the right verdict too.
PATIENT, FAIR, FAILING = 120.0, 60.0, 25.0
SHORT = 3.0
DAEMON_SECONDS = 20.0


@dataclass(frozen=True)
class WorkerFile:
    """One file to be graded.

    what        the file in words, "a worker that ..."
    group       the promise that it belongs to
    text        None: there is no file
    verdicts    those that are right; the first is the one that is named
    is_folder   there is a folder of that name in the place of the file
    """

    what: str
    group: str
    text: str | None
    verdicts: tuple[str, ...]
    world_size: int = 2
    timeout: float = PATIENT
    is_folder: bool = False
    hint: str = field(default="", compare=False)


def draw_files(generator: torch.Generator) -> list[WorkerFile]:
    """The files of one judgement, the cheap ones and the commonest mistakes first."""

    def one(*choices: str) -> str:
        return choices[pick(generator, 0, len(choices) - 1)]

    def worker(**parts: str) -> str:
        return _worker(generator, **parts)

    guilty = one("rank == 0", "rank == world_size - 1")
    leave = one("sys.exit(0)", "os._exit(0)", "raise SystemExit", "raise KeyboardInterrupt")
    leave_late = one("os._exit(0)", "sys.exit()")
    crash = one("os.kill(os.getpid(), signal.SIGSEGV)", "os.abort()")
    boast = 'print("passed\\nok\\n{\\"verdict\\": \\"passed\\"}", flush=True)'
    chatter = 'print("x" * 80 * 20_000, flush=True)'
    return [
        WorkerFile(words.IS_MISSING, words.GROUP_NO_FILE, None, (UNKNOWN,), hint=words.HINT_OPEN),
        WorkerFile(
            words.IS_FOLDER,
            words.GROUP_NO_FILE,
            None,
            (UNKNOWN,),
            is_folder=True,
            hint=words.HINT_OPEN,
        ),
        WorkerFile(
            words.IS_RIGHT,
            words.GROUP_RIGHT,
            worker(),
            (PASSED,),
            world_size=pick(generator, 1, 3),
            hint=words.HINT_RIGHT,
        ),
        WorkerFile(
            words.EXITS.format(how=leave),
            words.GROUP_EXITS,
            worker(before=f"{boast}\n{leave}"),
            (FAILED,),
            timeout=FAILING,
            hint=words.HINT_RECEIPT,
        ),
        WorkerFile(
            words.DOES_NOTHING,
            words.GROUP_WORK,
            one(worker(before="return"), _skipping(generator)),
            (FAILED,),
            timeout=FAILING,
            hint=words.HINT_WORK,
        ),
        WorkerFile(
            words.HANGS,
            words.GROUP_HANGS,
            worker(before=f"if {guilty}:\n    time.sleep(10_000)"),
            (FAILED,),
            timeout=SHORT,
            hint=words.HINT_DEADLINE,
        ),
        WorkerFile(
            words.ONE_FAILS,
            words.GROUP_FAILS,
            worker(after=f"assert not ({guilty}), 'not what it should be'"),
            (FAILED,),
            timeout=FAILING,
            hint=words.HINT_EVERY_RANK,
        ),
        WorkerFile(
            words.ONE_EXITS.format(how=leave_late),
            words.GROUP_EXITS,
            worker(after=f"if {guilty}:\n    {leave_late}"),
            (FAILED,),
            timeout=FAILING,
            hint=words.HINT_EVERY_RANK,
        ),
        WorkerFile(
            words.CRASHES,
            words.GROUP_FAILS,
            worker(before=f"if {guilty}:\n    {crash}"),
            (FAILED,),
            timeout=FAILING,
            hint=words.HINT_EVERY_RANK,
        ),
        WorkerFile(
            words.NO_WORKER,
            words.GROUP_BROKEN,
            worker().replace("def run_worker(", "def run_workers("),
            (FAILED,),
            timeout=FAILING,
            hint=words.HINT_DEFINED,
        ),
        WorkerFile(
            words.NO_PYTHON,
            words.GROUP_BROKEN,
            worker().replace("run_worker(rank, world_size):", "run_worker(rank, world_size)"),
            (FAILED,),
            timeout=FAILING,
            hint=words.HINT_DEFINED,
        ),
        WorkerFile(
            words.TALKS,
            words.GROUP_RIGHT,
            worker(after=chatter),
            (PASSED,),
            timeout=FAIR,
            hint=words.HINT_PIPE,
        ),
        WorkerFile(
            words.LEAVES_DAEMON,
            words.GROUP_CLEAN,
            worker(after=f"if {guilty}:\n{textwrap.indent(_DAEMON, '    ')}"),
            (PASSED, FAILED),
            timeout=DAEMON_SECONDS,
            hint=words.HINT_DAEMON,
        ),
    ]


# It keeps the output open, in a session of its own.
_DAEMON = """\
subprocess.Popen(
    [sys.executable, "-S", "-c", "import time; time.sleep(900)"], start_new_session=True
)"""

_HEAD = """\
import os
import signal
import subprocess
import sys
import time

import torch
{imports}

"""

_BODY = """\
def run_worker(rank, world_size):
{before}
    use_gpu = torch.cuda.is_available() and torch.cuda.device_count() >= world_size
    {device} = torch.device("cuda", rank) if use_gpu else torch.device("cpu")
    {dist}.init_process_group("nccl" if use_gpu else "gloo", rank=rank, world_size=world_size)
    {gradient} = torch.full((1024,), float(rank + 1), device={device})
    {feature} = torch.full((128,), float(rank), device={device})
    {pieces} = [torch.empty_like({feature}) for _ in range(world_size)]
    try:
        {all_reduce}({gradient})
        {gradient} /= world_size
        {all_gather}({pieces}, {feature})
        assert torch.allclose({gradient}, torch.full_like({gradient}, (world_size + 1) / 2))
        for source, piece in enumerate({pieces}):
            assert torch.all(piece == source)
        with open(os.path.join("@PLACE@", str(rank)), "w") as note:
            note.write(f"{{{dist}.get_world_size()}} {{os.environ['MASTER_PORT']}}")
{after}
    finally:
        {dist}.destroy_process_group()
"""

_SKIPPING = """\
def run_worker(rank, world_size):
    if rank >= world_size:
        {dist}.all_reduce(torch.full((1024,), float(rank + 1)))
        {dist}.all_gather([torch.zeros(128)] * world_size, torch.full((128,), float(rank)))
"""


def _worker(generator: torch.Generator, before: str = "pass", after: str = "pass") -> str:
    names = _Names(generator)
    dist, imports, calls = _imported(generator, names)
    body = _BODY.format(
        before=textwrap.indent(before, " " * 4),
        after=textwrap.indent(after, " " * 8),
        dist=dist,
        device=names(),
        gradient=names(),
        feature=names(),
        pieces=names(),
        **calls,
    )
    return _HEAD.format(imports=imports) + "\n" + body


def _skipping(generator: torch.Generator) -> str:
    """The calls are there, and no rank ever comes to them."""
    dist, imports, _ = _imported(generator, _Names(generator))
    return _HEAD.format(imports=imports) + "\n" + _SKIPPING.format(dist=dist)


def _imported(
    generator: torch.Generator, names: Callable[[], str]
) -> tuple[str, str, dict[str, str]]:
    """The module's name, the imports, and how the two collectives are called."""
    dist = names()
    imports = f"import torch.distributed as {dist}"
    calls = {name: f"{dist}.{name}" for name in ("all_reduce", "all_gather")}
    if pick(generator, 0, 1):
        calls = {name: names() for name in calls}
        taken = ", ".join(f"{name} as {own}" for name, own in calls.items())
        imports += f"\nfrom torch.distributed import {taken}"
    return dist, imports, calls


class _Names:
    """Names that are not used yet."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator
        self.given: set[str] = set()

    def __call__(self) -> str:
        while True:
            letters = [chr(pick(self.generator, ord("a"), ord("z"))) for _ in range(3)]
            name = "".join(letters) + str(pick(self.generator, 10, 99))
            if name not in self.given:
                self.given.add(name)
                return name
