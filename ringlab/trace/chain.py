"""Which message had to wait for which: matching of sends with receives, and steps."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

from ringlab.trace.records import Operation, RankRecord


@dataclass
class Message:
    """A send, the receive it met (None if nobody received it), and its step, from 0.

    A message waits for every message whose wait ended on its sender before it was posted; its step
    is the number of messages on the longest such chain before it.
    """

    send: Operation
    recv: Operation | None
    step: int = 0

    @property
    def was_changed(self) -> bool:
        """Whether something else arrived than was there when it was posted. Small ones only."""
        if self.recv is None or self.send.nbytes != self.recv.nbytes:
            return False
        sent, received = self.send.sent_digest, self.recv.received_digest
        return sent is not None and received is not None and sent != received

    @property
    def src(self) -> int:
        return self.send.rank

    @property
    def dst(self) -> int:
        assert self.send.peer is not None
        return self.send.peer


def messages(records: list[RankRecord]) -> list[Message]:
    """Every point-to-point message of a run, matched and given its step.

    Sends and receives between two ranks with one tag match in the order in which they are posted.
    """
    receives: dict[tuple[int, int | None, int], list[Operation]] = defaultdict(list)
    for record in records:
        for operation in record.operations:
            if operation.name == "recv":
                receives[operation.rank, operation.peer, operation.tag].append(operation)
    found = []
    for record in records:
        for operation in record.operations:
            if operation.name == "send" and operation.peer is not None:
                queue = receives.get(
                    (operation.peer, operation.rank, operation.tag)
                ) or receives.get((operation.peer, None, operation.tag))
                found.append(Message(operation, queue.pop(0) if queue else None))
    _give_steps(found)
    return found


def _give_steps(found: list[Message]) -> None:
    """Each rank's events in its own order; where one waits for another rank's, that goes first."""
    # events[rank]: (clock, whether a wait ended, message)
    events: dict[int, list[tuple[int, bool, Message]]] = defaultdict(list)
    for message in found:
        events[message.src].append((message.send.posted_at, False, message))
        for operation in (message.send, message.recv):
            if operation is not None and operation.waited_at is not None:
                events[operation.rank].append((operation.waited_at, True, message))
    for row in events.values():
        row.sort(key=lambda event: event[:2])
    place = dict.fromkeys(events, 0)
    reached = dict.fromkeys(events, 0)
    known: set[int] = set()
    ready = deque(events)
    while ready:
        rank = ready.popleft()
        row = events[rank]
        while place[rank] < len(row):
            _, ended, message = row[place[rank]]
            if ended and id(message) not in known:
                break
            if ended:
                reached[rank] = max(reached[rank], message.step + 1)
            else:
                message.step = reached[rank]
                known.add(id(message))
                if message.dst in events and message.dst != rank:
                    ready.append(message.dst)
            place[rank] += 1


def longest_chain(found: list[Message]) -> int:
    """Messages on the longest chain: 0 without messages."""
    return max((message.step + 1 for message in found), default=0)


def used_too_early(records: list[RankRecord]) -> list[Operation]:
    """Operations whose tensor was used before anybody had waited for their end."""
    return [o for record in records for o in record.operations if o.used_line is not None]


def never_waited(records: list[RankRecord]) -> list[Operation]:
    """Operations whose end nobody waited for."""
    return [o for record in records for o in record.operations if o.waited_at is None]
