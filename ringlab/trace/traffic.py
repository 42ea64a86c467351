"""Count what a function really sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ringlab.preformatted import preformatted
from ringlab.trace.chain import longest_chain, messages
from ringlab.trace.records import RankRecord
from ringlab.words import trace as words
from ringlab.world.run import NotWritten, run, try_run


@dataclass
class Counted:
    """Point-to-point traffic of one run, rank by rank, in bytes and messages."""

    name: str
    nbytes: int
    records: list[RankRecord]

    @property
    def bytes_sent(self) -> list[int]:
        """Bytes that each rank sent."""
        return [sum(o.nbytes for o in r.operations if o.name == "send") for r in self.records]

    @property
    def bytes_received(self) -> list[int]:
        """Bytes that each rank received: what was sent to it, not the size of its buffers."""
        received = [0] * len(self.records)
        for message in messages(self.records):
            received[message.dst] += message.send.nbytes
        return received

    @property
    def messages_sent(self) -> list[int]:
        """Messages that each rank sent."""
        return [sum(o.name == "send" for o in r.operations) for r in self.records]

    @property
    def rounds(self) -> int:
        """Messages on the longest chain, each of which had to wait for the one before."""
        return longest_chain(messages(self.records))

    @property
    def busiest(self) -> int:
        """Bytes sent by the rank that sends most."""
        return max(self.bytes_sent)

    @property
    def total(self) -> int:
        """Bytes sent by all ranks together."""
        return sum(self.bytes_sent)

    def text(self) -> str:
        """The table."""
        rows = [words.TRAFFIC_COLUMNS]
        columns = zip(self.bytes_sent, self.bytes_received, self.messages_sent, strict=True)
        for rank, (sent, received, count) in enumerate(columns):
            rows.append((words.RANK.format(rank=rank), size(sent), size(received), str(count)))
        sums = (self.total, sum(self.bytes_received), sum(self.messages_sent))
        rows.append((words.TOGETHER, size(sums[0]), size(sums[1]), str(sums[2])))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        title = words.TRAFFIC_TITLE.format(
            name=self.name, world_size=len(self.records), size=size(self.nbytes)
        )
        lines = [title]
        for row in rows:
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            lines.append("  ".join(cells))
        lines.append(words.ROUNDS.format(count=self.rounds))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "traffic")


def size(nbytes: float) -> str:
    """Bytes in the unit that suits them: B, KiB, MiB, GiB."""
    for unit in ("B", "KiB", "MiB"):
        if abs(nbytes) < 1024:
            return f"{nbytes:.4g} {unit}"
        nbytes /= 1024
    return f"{nbytes:.4g} GiB"


def traffic(
    fn: Callable[..., Any], world_size: int, nbytes: int, *args: Any, timeout: float = 30.0
) -> Counted | NotWritten:
    """Run `fn(tensor, *args)` on float32 tensors of `nbytes` bytes on real ranks, and count.

    Raises what `run` raises. A function that raises NotImplementedError gives a NotWritten.
    """
    done = try_run(_on_tensor, world_size, fn, nbytes, args, timeout=timeout)
    name = getattr(fn, "__name__", type(fn).__name__)
    if isinstance(done, NotWritten):
        return NotWritten(name)
    if done.failure is not None:
        done = run(_on_tensor, world_size, fn, nbytes, args, timeout=timeout)
    return Counted(name, nbytes, done.records)


def _on_tensor(fn: Callable[..., Any], nbytes: int, args: tuple[Any, ...]) -> None:
    import torch

    fn(torch.ones(nbytes // 4), *args)
