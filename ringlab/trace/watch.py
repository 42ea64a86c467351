"""Watch a function run on real ranks and read what its messages carried."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ringlab.schedule import Playback
from ringlab.trace.chain import Message, longest_chain, messages, never_waited
from ringlab.trace.codes import Code
from ringlab.trace.playback import Decoded, decode, playback, same_shape
from ringlab.trace.records import RankRecord
from ringlab.words import trace as words
from ringlab.words import world as world_words
from ringlab.world.client import Ranks, Turn, WorldError
from ringlab.world.explain import Failure, explain
from ringlab.world.run import NotWritten
from ringlab.world.travel import by_value

MOST_SLOTS = 1024
ITEM_BYTES = 8


@dataclass
class Trace:
    """A recorded run: what every rank did, and where it could be decoded, what messages carried.

    `records[rank]` holds the operations; `messages` the sends matched with their receives;
    `failure` says why the run did not end well, else None.
    """

    name: str
    world_size: int
    elements: int
    records: list[RankRecord]
    messages: list[Message]
    decoded: Decoded | None = None
    source: str | None = None
    failure: Failure | None = None
    notes: list[str] = field(default_factory=list)
    collective: tuple[str, int | None] = ("all_reduce", None)

    @property
    def steps(self) -> int:
        """Messages on the longest chain, each of which had to wait for the one before."""
        return longest_chain(self.messages)

    @property
    def bytes_sent(self) -> list[int]:
        """Bytes that each rank sent from point to point."""
        return [sum(o.nbytes for o in r.operations if o.name == "send") for r in self.records]

    @property
    def messages_sent(self) -> list[int]:
        """Point-to-point messages that each rank sent."""
        return [sum(o.name == "send" for o in r.operations) for r in self.records]

    def playback(self) -> Playback:
        """The run for the player. Raises WorldError when it could not be decoded."""
        if self.decoded is None:
            raise WorldError("\n".join(self.faults()) or words.NOT_REPEATABLE)
        title = words.TITLE.format(name=self.name, world_size=self.world_size)
        return playback(
            self.decoded, self.name, title, self.source, tuple(self.faults()), self.collective
        )

    def faults(self) -> list[str]:
        """Sentences about what went wrong that the operations alone show."""
        faults = list(self.notes)
        if self.failure is not None:
            faults.append(self.failure.text())
            return faults
        for operation in never_waited(self.records):
            faults.append(
                words.UNWAITED.format(
                    rank=operation.rank, what=operation.describe(), line=operation.line
                )
            )
        return faults[:4]


def watch(
    fn: Callable[..., Any],
    world_size: int,
    elements: int | None = None,
    *args: Any,
    timeout: float = 10.0,
    start: str = "auto",
) -> Trace | NotWritten:
    """Run `fn(tensor, *args)` on real ranks and read who is in which part of every message.

    The tensor is 1-D int64 with `elements` elements (2 for each rank if None). The function is run
    a few times with coded values; it must send the same messages each time. A run that fails or
    hangs is part of what comes back, in `failure`. A function that raises NotImplementedError
    gives a NotWritten.
    """
    if elements is None:
        elements = 2 * world_size if world_size <= 8 else world_size
    most = MOST_SLOTS // max(1, world_size)
    if not isinstance(elements, int) or not 0 <= elements <= most:
        raise WorldError(
            words.BAD_ELEMENTS.format(elements=elements, most=most, world_size=world_size)
        )
    name = getattr(fn, "__name__", type(fn).__name__)
    try:
        payload = by_value((fn, args), fn)
    except Exception as error:
        raise WorldError(world_words.CANNOT_TRAVEL.format(name=name, reason=error)) from None
    with Ranks(world_size, start=start) as ranks:
        request = {"do": "ringlab.trace.turns:keep", "name": name}
        kept = ranks.turn([(request, payload)] * world_size, timeout)
        for outcome in kept.outcomes:
            if outcome.kind == "refused":
                raise WorldError(outcome.header["message"])
        trace = watch_kept(ranks, name, elements, timeout)
    if trace.failure and trace.failure.is_unwritten:
        return NotWritten(name)
    trace.source = _source(fn)
    return trace


def watch_kept(
    ranks: Ranks,
    name: str,
    elements: int,
    timeout: float,
    own: Any = None,
    *,
    arguments: tuple[Any, ...] | None = None,
    collective: tuple[str, int | None] = ("all_reduce", None),
) -> Trace:
    """Coded runs of the function that the ranks keep. After a failure the ranks are done for.

    arguments: behind the tensor, in place of those that are kept. collective: what the run is read
    as, and its root.
    """
    code = Code.draw(ranks.world_size, elements)
    runs: list[list[RankRecord]] = []
    for inputs in code.inputs():
        turn = coded_turn(ranks, inputs, elements, timeout, arguments)
        if turn.ended != "returned":
            extra = {} if own is None else {"own": own}
            failure = explain(turn, name, timeout, **extra)
            return _trace(name, code, [turn.records], None, failure)
        runs.append(turn.records)
    found = messages(runs[0])
    # A message of another dtype (a token, a cast) carries no code.
    readable = same_shape(runs) and all(
        m.send.payload is not None and m.send.dtype == "int64" for m in found
    )
    trace = _trace(name, code, runs, decode(code, runs, found) if readable else None, None)
    trace.collective = collective
    if not readable:
        trace.notes.append(words.NOT_REPEATABLE)
    return trace


def coded_turn(
    ranks: Ranks,
    inputs: list[bytes],
    elements: int,
    timeout: float,
    arguments: tuple[Any, ...] | None = None,
) -> Turn:
    """One run of the kept function on int64 tensors made of `inputs[rank]`."""
    request = {
        "do": "ringlab.trace.turns:call",
        "dtype": "int64",
        "shape": [elements],
        "payloads": True,
        "arguments": arguments,
    }
    return ranks.turn([(request, data) for data in inputs], timeout)


def _trace(
    name: str,
    code: Code,
    runs: list[list[RankRecord]],
    decoded: Decoded | None,
    failure: Failure | None,
) -> Trace:
    found = decoded.messages if decoded else messages(runs[0])
    return Trace(name, code.world_size, code.elements, runs[0], found, decoded, failure=failure)


def _source(fn: Any) -> str | None:
    """The whole cell or file that holds the function, so that line numbers fit."""
    try:
        lines = linecache.getlines(inspect.getsourcefile(fn) or "")
    except TypeError:
        return None
    return "".join(lines) or None
