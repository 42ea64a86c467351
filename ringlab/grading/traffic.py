"""Budgets: what a run may send, and whether it kept to it, from what the recorders saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ringlab.grading.cases import Case, Problem
from ringlab.trace.chain import longest_chain, messages, never_waited, used_too_early
from ringlab.trace.records import Operation, RankRecord
from ringlab.words import judge as words

P2P = frozenset({"send", "recv"})
# Whether groups may be made, the source layer says.
SET_UP = frozenset({"new_group"})
# Small things: an index, a scalar.
MEMORY_SLACK_BYTES = 4096
# Elements that a tensor on the wire, or each rank's part of it, may be aligned to.
ALIGNMENT = 64

Limit = Callable[[int, int, int], int]
Rule = Callable[[Case, list[RankRecord]], Iterator[Problem]]


@dataclass(frozen=True)
class Traffic:
    """A budget. A rule gets (world size, elements, bytes of an element), gives a limit a rank.

    operations  names that may appear in the record
    sends_to    (rank, world size) -> the only rank it may send to
    route       (case, a send) -> why that message may not go there, or None
    messages    most messages sent by a rank
    total       most messages sent by all ranks together
    chain       most messages on the longest chain
    peers       most other ranks that a rank exchanges messages with
    least       fewest bytes that a rank can send for the others to know what it holds
    nbytes      most bytes sent by a rank
    memory      most bytes alive at once beside the tensor
    rules       what an exercise looks at besides, by name
    """

    operations: frozenset[str] | None = None
    allowed: str = ""
    sends_to: Callable[[int, int], int] | None = None
    route: Callable[[Case, Operation], str | None] | None = None
    messages: Limit | None = None
    total: Limit | None = None
    chain: Limit | None = None
    peers: Limit | None = None
    least: Limit | None = None
    nbytes: Limit | None = None
    bytes_reason: str = ""
    memory: Limit | None = None
    everybody_sends: bool = True
    rules: tuple[tuple[str, Rule], ...] = ()

    def names(self) -> list[str]:
        """The checks that this budget makes, in the order in which they are reported."""
        return [name for name, _ in self._rules()]

    def judge(self, case: Case, records: list[RankRecord]) -> dict[str, Problem]:
        """The rules that a run breaks, by name."""
        broken = {}
        for name, rule in self._rules():
            problem = next(rule(case, records), None)
            if problem is not None:
                broken[name] = problem
        return broken

    def _rules(self) -> list[tuple[str, Rule]]:
        rules: list[tuple[str, Rule]] = [(words.TRAFFIC_OPERATIONS, self._operations)]
        if self.sends_to:
            rules.append((words.TRAFFIC_PEERS, self._peers))
        if self.route:
            rules.append((words.TRAFFIC_ROUTE, self._routes))
        if self.messages:
            rules.append((words.TRAFFIC_MESSAGES, self._messages))
        if self.total:
            rules.append((words.TRAFFIC_TOTAL, self._total))
        if self.peers:
            rules.append((words.TRAFFIC_PARTNERS, self._partners))
        if self.chain:
            rules.append((words.TRAFFIC_CHAIN, self._chain))
        if self.nbytes:
            rules.append((words.TRAFFIC_BYTES, self._bytes))
        if self.memory:
            rules.append((words.TRAFFIC_MEMORY, self._memory))
        rules += self.rules
        rules.append((words.TRAFFIC_WAITS, self._waits))
        return rules

    def _operations(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        for record in records:
            for operation in record.operations:
                if operation.name in SET_UP:
                    continue
                if self.operations is not None and operation.name not in self.operations:
                    yield Problem(
                        words.OTHER_OPERATION.format(
                            rank=record.rank,
                            what=operation.name,
                            line=operation.line,
                            allowed=self.allowed,
                        ),
                        record.rank,
                        operation.line,
                    )
        if case.world_size > 1 and _elements(case):
            yield from self._silence(case, records)

    def _silence(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        silent = [r.rank for r in records if not any(_carries(o) for o in r.operations)]
        if len(silent) == case.world_size:
            yield Problem(words.NO_MESSAGE.format(world_size=case.world_size))
        elif silent and self.everybody_sends:
            yield Problem(words.NO_MESSAGE_FROM.format(rank=silent[0]), silent[0])
        if self.least:
            yield from self._too_little(case, records, self.least(*_size(case)))

    def _too_little(self, case: Case, records: list[RankRecord], least: int) -> Iterator[Problem]:
        for record in records:
            got = sum(o.nbytes for o in record.operations if o.name == "send")
            if got < least:
                text = words.TOO_FEW_BYTES.format(rank=record.rank, got=got, least=least)
                yield Problem(text, record.rank)

    def _peers(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.sends_to is not None
        for operation in sends(records):
            right = self.sends_to(operation.rank, case.world_size)
            if operation.peer != right:
                yield Problem(
                    words.WRONG_PEER.format(
                        rank=operation.rank,
                        peer=operation.peer,
                        line=operation.line,
                        right=right,
                    ),
                    operation.rank,
                    operation.line,
                )

    def _routes(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.route is not None
        for operation in sends(records):
            why = self.route(case, operation)
            if why is not None:
                yield Problem(why, operation.rank, operation.line)

    def _total(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.total is not None
        count, most = sum(1 for _ in sends(records)), self.total(*_size(case))
        if count > most:
            yield Problem(words.TOO_MANY_IN_ALL.format(count=count, most=most))

    def _partners(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.peers is not None
        most = self.peers(*_size(case))
        for record in records:
            met = sorted(
                {m.dst for m in messages(records) if m.src == record.rank}
                | {m.src for m in messages(records) if m.dst == record.rank}
            )
            if len(met) > most:
                text = words.TOO_MANY_PARTNERS.format(
                    rank=record.rank, count=len(met), met=", ".join(map(str, met)), most=most
                )
                yield Problem(text, record.rank)

    def _chain(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.chain is not None
        found, most = messages(records), self.chain(*_size(case))
        count = longest_chain(found)
        if count > most:
            last = max(found, key=lambda message: message.step)
            text = words.CHAIN_TOO_LONG.format(
                count=count, most=most, src=last.src, dst=last.dst, line=last.send.line
            )
            yield Problem(text, last.src, last.send.line)

    def _messages(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.messages is not None
        most = self.messages(*_size(case))
        for record in records:
            count = sum(operation.name == "send" for operation in record.operations)
            if count > most:
                text = words.TOO_MANY_MESSAGES.format(rank=record.rank, count=count, most=most)
                yield Problem(text, record.rank)

    def _bytes(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.nbytes is not None
        most = self.nbytes(*_size(case))
        _, elements, item = _size(case)
        for record in records:
            got = sum(o.nbytes for o in record.operations if o.name == "send")
            if got > most:
                text = words.TOO_MANY_BYTES.format(
                    rank=record.rank,
                    got=got,
                    total=elements * item,
                    most=most,
                    reason=self.bytes_reason,
                )
                yield Problem(text, record.rank)

    def _memory(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        assert self.memory is not None
        most = self.memory(*_size(case))
        for record in records:
            got = record.peak_bytes or 0
            # While `buffer = torch.empty_like(chunk)` runs, the old buffer still lives; so may one
            # that the backend holds.
            if got > 2 * most + MEMORY_SLACK_BYTES:
                text = words.TOO_MUCH_MEMORY.format(rank=record.rank, got=got, two=most)
                yield Problem(text, record.rank)

    def _waits(self, case: Case, records: list[RankRecord]) -> Iterator[Problem]:
        for operation in never_waited(records):
            text = words.NOT_WAITED.format(
                rank=operation.rank, what=operation.describe(), line=operation.line
            )
            yield Problem(text, operation.rank, operation.line)
        for operation in used_too_early(records):
            text = words.USED_TOO_EARLY.format(
                rank=operation.rank,
                what=operation.describe(),
                line=operation.line,
                used=operation.used_line,
            )
            yield Problem(text, operation.rank, operation.used_line or operation.line)
        for message in messages(records):
            if message.was_changed:
                text = words.CHANGED_WHILE_SENT.format(
                    rank=message.src, what=message.send.describe(), line=message.send.line
                )
                yield Problem(text, message.src, message.send.line)
        for message in messages(records):
            if message.recv is None:
                text = words.NOBODY_RECEIVED.format(
                    rank=message.src, peer=message.dst, line=message.send.line
                )
                yield Problem(text, message.src, message.send.line)


def padded(elements: int, parts: int = 1) -> int:
    """The most elements on the wire for a tensor of `elements` that is padded, in equal parts."""
    aligned = ALIGNMENT * parts
    return max(1, -(-elements // aligned)) * aligned


def sends(records: list[RankRecord]) -> Iterator[Operation]:
    """Every message of a run, in the order of the ranks that send them."""
    for record in records:
        for operation in record.operations:
            if operation.name == "send":
                yield operation


def _carries(operation: Operation) -> bool:
    """Whether it takes something of this rank to others."""
    return operation.name not in ("recv", "barrier", "monitored_barrier") and operation.nbytes > 0


def _elements(case: Case) -> int:
    return sum(tensor.numel() for tensor in case.tensors)


def _size(case: Case) -> tuple[int, int, int]:
    (tensor,) = case.tensors
    return case.world_size, tensor.numel(), tensor.element_size()
