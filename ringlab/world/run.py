"""Run a function on N real ranks."""

from __future__ import annotations

import html
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ringlab.preformatted import preformatted
from ringlab.trace.records import RankRecord
from ringlab.words import world as words
from ringlab.world.client import Ranks, Turn, WorldError
from ringlab.world.explain import Failure, explain
from ringlab.world.travel import by_value


class RankFailed(WorldError):
    """The function raised on a rank, or ended its process."""


class RankDied(WorldError):
    """A rank's process was ended by a signal: gloo aborts when sizes or dtypes differ."""


class RanksHung(WorldError):
    """The ranks wait for each other, or did not finish in time."""


_KINDS = {"raised": RankFailed, "exit": RankFailed, "died": RankDied, "hung": RanksHung}


@dataclass
class Run:
    """What a run gave: `results[rank]`, `outputs[rank]`, the records and the time.

    seconds is the time of the call on the ranks, without starting and ending them.
    """

    name: str
    results: list[Any]
    outputs: list[str]
    seconds: float
    backend: str
    start: str
    records: list[RankRecord] = field(repr=False, default_factory=list)
    failure: Failure | None = None

    @property
    def world_size(self) -> int:
        """How many ranks ran."""
        return len(self.outputs)

    def text(self) -> str:
        """Output grouped by rank in rank order, what was returned, and how long it took."""
        lines = [words.RUN_TITLE.format(name=self.name, world_size=self.world_size)]
        for rank, output in enumerate(self.outputs):
            shown = output.rstrip("\n").splitlines()
            if not self.failure and self.results[rank] is not None:
                shown.append(f"→ {self.results[rank]!r}")
            lines += [f"  rank {rank} │ {line}" for line in shown]
        if self.failure:
            lines.append(self.failure.text())
        else:
            lines.append(words.RUN_FOOTER.format(seconds=self.seconds, backend=self.backend))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "run")


def run(
    fn: Callable[..., Any],
    world_size: int,
    *args: Any,
    timeout: float = 30.0,
    start: str = "auto",
    backend: str = "auto",
    record: bool = True,
    **kwargs: Any,
) -> Run:
    """Call `fn(*args, **kwargs)` on every rank of an initialised process group.

    fn may be defined in a notebook cell: it travels by value. world_size from 1. timeout in
    seconds. start: "auto" (fork from the preloaded host where that is safe), "fork" or "spawn"
    (what `torch.multiprocessing.spawn` does). backend: "auto" (NCCL when each rank can have a GPU
    of its own, else gloo), "gloo" or "nccl". record: whether a recorder notes every operation; it
    is what lets a hang be explained.

    Raises RankFailed, RankDied or RanksHung, each saying rank by rank what happened, and
    WorldError for a request that can't be met. No process or file is left behind.
    """
    done = attempt(
        fn,
        world_size,
        *args,
        timeout=timeout,
        start=start,
        backend=backend,
        record=record,
        **kwargs,
    )
    if done.failure:
        for rank, output in enumerate(done.outputs):
            if output.strip() and _in_notebook():
                print("\n".join(f"rank {rank} │ {line}" for line in output.splitlines()))
        if _in_notebook():
            print(done.failure.text())
        raise _KINDS[done.failure.kind](done.failure.text())
    return done


def try_run(fn: Callable[..., Any], world_size: int, *args: Any, **kwargs: Any) -> Any:
    """As `run`, for a run that may fail or hang: the explanation is shown instead of raised.

    Gives a Run whose `failure` says what happened, or, for a function that raises
    NotImplementedError, a NotWritten.
    """
    done = attempt(fn, world_size, *args, **kwargs)
    if done.failure is not None and done.failure.is_unwritten:
        return NotWritten(done.failure.unwritten or done.name)
    return done


@dataclass
class NotWritten:
    """Stands for the run of an answer that is not there yet."""

    name: str

    def text(self) -> str:
        return words.NOT_WRITTEN.format(name=self.name)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f'<p class="ringlab-not-written">{html.escape(self.text())}</p>'


def attempt(
    fn: Callable[..., Any],
    world_size: int,
    *args: Any,
    timeout: float = 30.0,
    start: str = "auto",
    backend: str = "auto",
    record: bool = True,
    **kwargs: Any,
) -> Run:
    """As `run`, but a failure or a hang is part of what comes back, in `failure`."""
    if not callable(fn):
        raise WorldError(words.NOT_CALLABLE.format(value=fn))
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        raise WorldError(words.BAD_TIMEOUT.format(timeout=timeout))
    name = getattr(fn, "__name__", type(fn).__name__)
    payload = _by_value(fn, args, kwargs, name)
    request = {"do": "ringlab.world.calls:call", "name": name, "record": record}
    with Ranks(world_size, start=start, backend=backend) as ranks:
        turn = ranks.turn([(request, payload)] * world_size, timeout)
        backend, start = ranks.backend, ranks.start
    _refuse(turn)
    failure = explain(turn, name, timeout) if turn.ended != "returned" else None
    results = [None] * world_size if failure else results_of(turn, name)
    return Run(name, results, turn.outputs, turn.seconds, backend, start, turn.records, failure)


def _by_value(fn: Any, args: Any, kwargs: Any, name: str) -> bytes:
    try:
        return by_value((fn, args, kwargs), fn)
    except Exception as error:
        raise WorldError(words.CANNOT_TRAVEL.format(name=name, reason=error)) from None


def _refuse(turn: Turn) -> None:
    for outcome in turn.outcomes:
        if outcome.kind == "refused":
            raise WorldError(outcome.header["message"])


def results_of(turn: Turn, name: str) -> list[Any]:
    """What the calls of a turn returned, by rank."""
    results = []
    for rank, outcome in enumerate(turn.outcomes):
        try:
            results.append(pickle.loads(outcome.payload))
        except Exception as error:
            raise WorldError(
                words.RESULT_CANNOT_BE_READ.format(name=name, rank=rank, reason=error)
            ) from None
    return results


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules
