"""What a recorder saw on one rank, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Operation:
    """One communication call on one rank.

    name     the field's name for it: "send", "recv", "all_reduce", ...
    peer     the other rank of a send or recv (None: a collective, or any source, as long as
             nothing has come from one)
    root     the root of a collective that has one
    group    ranks that take part, in group order
    members  of the group that a new_group makes
    nbytes   bytes of the tensors this rank puts in; for a recv, of the buffer
    shapes, dtype   of those tensors
    op       reduce operation, where there is one
    offset   first element of the watched tensor that the message covers; None: another buffer
    line     line in the learner's code that posted it; file, its file
    posted_at, waited_at   when, counted in events of this rank; waited_at None: nobody waited
    used_line   line that uses what it writes to before its end was waited for; 0 if it is not in
                the learner's code, None if there is none
    sent_digest, received_digest   CRC-32 of a small message when it was posted, and as it arrived
    payload, received      what a message carried, where that is recorded
    """

    index: int
    name: str
    rank: int
    group: tuple[int, ...]
    peer: int | None = None
    root: int | None = None
    tag: int = 0
    nbytes: int = 0
    shapes: tuple[tuple[int, ...], ...] = ()
    dtype: str = ""
    op: str = ""
    offset: int | None = None
    file: str = ""
    line: int | None = None
    posted_at: int = 0
    waited_at: int | None = None
    wait_line: int | None = None
    used_line: int | None = None
    members: tuple[int, ...] = ()
    sent_digest: int | None = None
    received_digest: int | None = None
    payload: bytes | None = None
    received: bytes | None = None

    @property
    def numel(self) -> int:
        """Elements over all its tensors."""
        total = 0
        for shape in self.shapes:
            count = 1
            for size in shape:
                count *= size
            total += count
        return total

    def describe(self) -> str:
        """The operation as a reader would name it: "send to rank 1", "all_reduce"."""
        if self.name == "send":
            return f"send to rank {self.peer}"
        if self.name == "recv":
            return "recv from any rank" if self.peer is None else f"recv from rank {self.peer}"
        return self.name


@dataclass(slots=True)
class Snapshot:
    """The watched tensor's bytes after a change, perhaps; `at` orders it among the events."""

    at: int
    line: int | None
    data: bytes


@dataclass
class RankRecord:
    """Everything seen on one rank in one turn, in the order in which it happened."""

    rank: int
    operations: list[Operation] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    waiting: Operation | None = None
    waiting_line: int | None = None
    peak_bytes: int | None = None
    clock: int = 0
    by_index: dict[int, Operation] = field(default_factory=dict)

    def take(self, header: dict[str, Any], payload: bytes) -> None:
        """Add one frame of the recorder. A forged one raises KeyError, TypeError, ValueError."""
        self.clock += 1
        kind = header["r"]
        if kind == "op":
            self._posted(header, payload)
        elif kind == "wait":
            self.waiting = self.by_index.get(header["i"])
            self.waiting_line = header["line"]
        elif kind == "done":
            self._done(header, payload)
        elif kind == "use":
            self.by_index[header["i"]].used_line = int(header["line"] or 0)
        elif kind == "state":
            self.snapshots.append(Snapshot(self.clock, header["line"], payload))
        elif kind == "peak":
            self.peak_bytes = int(header["bytes"])
        else:
            raise ValueError(kind)

    def _posted(self, header: dict[str, Any], payload: bytes) -> None:
        operation = Operation(
            index=int(header["i"]),
            name=str(header["name"]),
            rank=self.rank,
            group=tuple(int(each) for each in header["group"]),
            peer=header["peer"],
            root=header["root"],
            tag=int(header["tag"]),
            nbytes=int(header["nbytes"]),
            shapes=tuple(tuple(int(n) for n in shape) for shape in header["shapes"]),
            dtype=str(header["dtype"]),
            op=str(header["op"]),
            offset=header["offset"],
            file=str(header["file"]),
            line=header["line"],
            posted_at=self.clock,
            sent_digest=header["digest"],
            payload=payload if header["has"] else None,
            members=tuple(int(each) for each in header.get("members", ())),
        )
        self.operations.append(operation)
        self.by_index[operation.index] = operation

    def _done(self, header: dict[str, Any], payload: bytes) -> None:
        operation = self.by_index[header["i"]]
        self.waiting = None
        if operation.waited_at is not None:
            return
        operation.waited_at = self.clock
        operation.wait_line = self.waiting_line
        operation.received_digest = header["digest"]
        if "peer" in header:
            operation.peer = int(header["peer"])
        if header["has"]:
            operation.received = payload
