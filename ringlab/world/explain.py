"""Why a turn did not end well, rank by rank, in words."""

from __future__ import annotations

import linecache
import re
import signal
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ringlab.plain import plain
from ringlab.preformatted import preformatted
from ringlab.trace.records import Operation, RankRecord
from ringlab.words import limits as limit_words
from ringlab.words import world as words
from ringlab.world.client import Outcome, Turn
from ringlab.world.limits import beyond
from ringlab.world.own import is_own_file

_UNWRITTEN = words.DID_RAISE.format(type="NotImplementedError", message="")


@dataclass
class RankState:
    """One rank's line: what it did and where. `state` for a sentence about another rank."""

    rank: int
    what: str
    file: str = ""
    line: int | None = None
    source: str | None = None
    function: str = ""

    def text(self) -> str:
        """The line as shown."""
        where = at_line(self.file, self.line, self.source)
        return f"{self.what}   {where}" if where else self.what


@dataclass
class Failure:
    """A turn that went wrong. kind: "raised", "exit", "died", "hung". guilty: ranks at fault."""

    kind: str
    title: str
    states: list[RankState]
    reasons: list[str] = field(default_factory=list)
    guilty: tuple[int, ...] = ()
    line: int | None = None

    @property
    def is_unwritten(self) -> bool:
        """Whether an answer that is not written yet said so, on every rank at fault."""
        return self.kind == "raised" and all(
            self.states[rank].what.startswith(_UNWRITTEN) for rank in self.guilty
        )

    @property
    def unwritten(self) -> str:
        """The function that is not written yet."""
        return self.states[self.guilty[0]].function if self.guilty else ""

    def text(self) -> str:
        """The whole explanation."""
        lines = [self.title]
        lines += [f"  rank {state.rank}  {state.text()}" for state in self.states]
        return "\n".join(lines + self.reasons)

    def _repr_html_(self) -> str:
        return preformatted(self.text(), "failure")


def at_line(file: str, line: int | None, source: str | None = None) -> str:
    """ "line 7: dist.send(...)" with the code where it can be had."""
    if line is None:
        return ""
    if source is not None:
        lines = source.splitlines()
        code = lines[line - 1] if 0 < line <= len(lines) else ""
    else:
        code = linecache.getline(file, line)
    code = code.strip()
    if not code:
        return words.AT_LINE_BARE.format(line=line)
    return words.AT_LINE.format(line=line, code=code)


def explain(
    turn: Turn,
    name: str,
    timeout: float,
    own: Callable[[str], bool] = is_own_file,
    source: str | None = None,
) -> Failure:
    """Explain a turn that ended "failed", "hung" or "deadline".

    own: which files are the learner's. source: their code, where it is in no file.
    """
    guilty = [r for r, o in enumerate(turn.outcomes) if o.kind in ("raised", "died", "broke")]
    states = [_state(rank, turn, own) for rank in range(len(turn.outcomes))]
    for state in states:
        state.source = source
    kind = _kind([turn.outcomes[r] for r in guilty])
    first = states[guilty[0]] if guilty else next((s for s in states if s.line is not None), None)
    return Failure(
        kind,
        _title(kind, turn, name, guilty, timeout),
        states,
        _reasons(kind, turn),
        tuple(guilty),
        first.line if first else None,
    )


def _kind(guilty: list[Outcome]) -> str:
    if not guilty:
        return "hung"
    # A rank that died takes its neighbours' connections down: theirs are consequences.
    if any(o.kind == "broke" or (o.kind == "died" and not _by_signal(o)) for o in guilty):
        return "exit"
    if any(o.kind == "died" for o in guilty):
        return "died"
    return "exit" if any(o.header.get("exit") for o in guilty) else "raised"


def _by_signal(outcome: Outcome) -> bool:
    return outcome.exit_code is not None and outcome.exit_code < 0


def _title(kind: str, turn: Turn, name: str, guilty: list[int], timeout: float) -> str:
    if turn.over:
        return limit_words.TITLE.format(name=name)
    if kind == "hung":
        title = words.TITLE_HUNG if turn.ended == "hung" else words.TITLE_DEADLINE
        seconds = turn.seconds if turn.ended == "hung" else timeout
        return title.format(name=name, seconds=seconds)
    ranks = _ranks([r for r in guilty if _fits(turn.outcomes[r], kind)])
    title = {
        "raised": words.TITLE_RAISED,
        "exit": words.TITLE_EXIT,
        "died": words.TITLE_DIED,
    }[kind]
    return title.format(name=name, ranks=ranks)


def _fits(outcome: Outcome, kind: str) -> bool:
    if kind == "exit":
        return outcome.kind in ("died", "broke") or bool(outcome.header.get("exit"))
    return outcome.kind == kind


def _state(rank: int, turn: Turn, own: Any) -> RankState:
    outcome, record = turn.outcomes[rank], turn.records[rank]
    last = record.operations[-1] if record.operations else None
    if outcome.kind == "returned":
        count = len(record.operations)
        what = words.DID_RETURN_LAST.format(count=count) if count else words.DID_RETURN
        return RankState(rank, what)
    if outcome.kind == "raised":
        return _raised(rank, outcome, own, turn)
    if outcome.kind == "broke":
        return RankState(rank, words.BROKEN_FRAME)
    if outcome.kind == "died":
        where = record.waiting or last
        what = (
            words.DID_DIE.format(signal=_signal_name(outcome.exit_code))
            if _by_signal(outcome)
            else words.DID_EXIT.format(how=f"exit code {outcome.exit_code}")
        )
        return RankState(rank, what, where.file if where else "", where.line if where else None)
    return _unfinished(rank, turn, own)


def _raised(rank: int, outcome: Outcome, own: Any, turn: Turn) -> RankState:
    header = outcome.header
    frames = [frame for frame in header.get("frames", []) if own(frame[0])]
    file, line, function = frames[-1] if frames else ("", None, "")
    message = _short(str(header.get("message", "")))
    if header.get("exit"):
        how = f"sys.exit({message})" if message else "sys.exit()"
        return RankState(rank, words.DID_EXIT.format(how=how), file, line)
    kind = plain(header.get("type", ""), 80)
    limit = beyond(kind, str(header.get("message", "")), turn.limits)
    if limit:
        message = limit_words.WITH_LIMIT.format(message=message, limit=limit).lstrip()
    what = words.DID_RAISE.format(type=kind, message=message)
    return RankState(rank, what, file, line, function=function)


def _short(message: str) -> str:
    """The message without the C++ frames and file names that torch adds."""
    message = re.split(r"\nException raised from|\. This may indicate", message)[0]
    message = re.sub(r"^\[[^\]]*?([\w.]+\.cc):\d+\]\s*", "", message).strip()
    if re.search(r"Connection (reset|closed) by peer", message):
        return words.LOST_PEER
    if "Pair is not connected" in message:
        return words.NO_PAIR
    return plain(message.splitlines()[0] if message else "", 300)


def _unfinished(rank: int, turn: Turn, own: Any) -> RankState:
    outcome, record = turn.outcomes[rank], turn.records[rank]
    stuck = turn.ended in ("hung", "deadline")
    if record.waiting is not None:
        text = words.IS_WAITING if stuck else words.WAS_WAITING
        what = text.format(what=record.waiting.describe())
        line = record.waiting_line or record.waiting.line
        return RankState(rank, what, record.waiting.file, line)
    file, line = _from_stack(outcome.stack, own)
    last = record.operations[-1] if record.operations else None
    if not stuck:
        return RankState(rank, words.WAS_STOPPED, file, line)
    what = words.IS_RUNNING_AFTER.format(what=last.describe()) if last else words.IS_RUNNING
    return RankState(rank, what, file, line)


def _from_stack(stack: str, own: Any) -> tuple[str, int | None]:
    for file, line in re.findall(r'File "([^"\n]*)", line (\d+)', stack):
        if own(file):
            return file, int(line)
    return "", None


def _signal_name(code: int | None) -> str:
    try:
        return signal.Signals(-(code or 0)).name
    except ValueError:
        return f"signal {-(code or 0)}"


def _reasons(kind: str, turn: Turn) -> list[str]:
    records = turn.records
    if turn.over:
        return [turn.over]
    reasons = _sizes(records) + _long_messages(records)
    if kind == "hung" and not reasons:
        reasons += (
            groups_differ(records)
            or _waited_again(records)
            or _dropped(turn)
            or _circle(turn)
            or _missing_partners(turn)
        )
    if not reasons and kind in ("hung", "died"):
        reasons += _divergence(records)
    if kind == "died":
        reasons += _gloo_words(turn)
        if any(o.exit_code == -signal.SIGKILL for o in turn.outcomes):
            reasons.append(limit_words.KILLED)
    return reasons


def _waited_again(records: list[RankRecord]) -> list[str]:
    """A wait for a message whose wait has ended before: on gloo it never comes back."""
    return [
        words.WAITED_AGAIN.format(rank=record.rank, what=record.waiting.describe())
        for record in records
        if record.waiting is not None and record.waiting.waited_at is not None
    ][:1]


def groups_differ(records: list[RankRecord]) -> list[str]:
    """Ranks that make other groups than the others, or not as many."""
    made = [_groups(record, len(records)) for record in records]
    number, others = first_divergence([[str(each) for each in row] for row in made])
    if number < 0:
        return []
    rank = next(r for r in range(len(made)) if r not in others)
    asked = [
        words.GROUP_OF.format(rank=r, members=made[r][number])
        if number < len(made[r])
        else words.GROUP_NONE.format(rank=r)
        for r in (rank, others[0])
    ]
    return [words.GROUPS_DIFFER.format(number=number + 1, details=", ".join(asked))]


def _groups(record: RankRecord, world_size: int) -> list[list[int]]:
    """Members of the groups that a rank makes together with all others, in order."""
    return [
        list(o.members)
        for o in record.operations
        if o.name == "new_group" and len(o.group) == world_size
    ]


def _dropped(turn: Turn) -> list[str]:
    """Sends and receives that were posted to a rank that waits for them, and never waited for.

    On gloo a message whose work object is thrown away may never arrive.
    """
    reasons = []
    for record in turn.records:
        for operation in record.operations:
            if operation.waited_at is not None or operation is record.waiting:
                continue
            peer = operation.peer
            if peer is None or not 0 <= peer < len(turn.records):
                continue
            meets = turn.records[peer].waiting
            wanted = {"send": "recv", "recv": "send"}.get(operation.name)
            if meets is not None and meets.name == wanted and meets.peer in (record.rank, None):
                reasons.append(
                    words.DROPPED.format(
                        rank=record.rank, what=operation.describe(), line=operation.line, peer=peer
                    )
                )
    return reasons[:2]


def _circle(turn: Turn) -> list[str]:
    after = {}
    for rank, record in enumerate(turn.records):
        operation = record.waiting
        if turn.outcomes[rank].kind == "unfinished" and operation and operation.peer is not None:
            after[rank] = operation.peer
    for start in sorted(after):
        path = [start]
        while path[-1] in after and after[path[-1]] not in path:
            path.append(after[path[-1]])
        closing = after.get(path[-1])
        if closing is not None and closing in path:
            circle = path[path.index(closing) :]
            waits = [turn.records[r].waiting for r in circle]
            if {op.name for op in waits if op is not None} == {"send", "recv"} and len(waits) == 2:
                continue  # They wait for one another's message; something else is in its way.
            all_send = all(op is not None and op.name == "send" for op in waits)
            text = words.CIRCLE_OF_SENDS if all_send else words.CIRCLE
            return [text.format(path=" → ".join(map(str, [*circle, circle[0]])))]
    return []


def _missing_partners(turn: Turn) -> list[str]:
    reasons = []
    for rank, record in enumerate(turn.records):
        operation = record.waiting
        if turn.outcomes[rank].kind != "unfinished" or operation is None:
            continue
        peer = operation.peer
        if peer is None or not 0 <= peer < len(turn.outcomes):
            continue
        if turn.outcomes[peer].kind == "unfinished":
            continue
        text = words.NOBODY_SENDS if operation.name == "recv" else words.NOBODY_RECEIVES
        ended = turn.outcomes[peer].kind == "returned"
        state = words.HAS_RETURNED if ended else words.HAS_FAILED
        reasons.append(text.format(rank=rank, peer=peer, state=state))
    return reasons + _missing_at_collective(turn)


def _missing_at_collective(turn: Turn) -> list[str]:
    waiting: dict[tuple[str, tuple[int, ...]], list[int]] = defaultdict(list)
    for rank, record in enumerate(turn.records):
        operation = record.waiting
        if operation is not None and operation.name not in ("send", "recv"):
            waiting[operation.name, operation.group].append(rank)
    reasons = []
    for (name, group), ranks in waiting.items():
        strange = [r for r in group if not 0 <= r < len(turn.records)]
        if strange:
            text = words.NO_SUCH_RANK
            reasons.append(text.format(what=name, ranks=strange, last=len(turn.records) - 1))
            continue
        absent = [r for r in group if r not in ranks]
        if absent and all(turn.records[r].waiting is None for r in absent):
            reasons.append(
                words.MISSING_RANKS.format(
                    ranks=_ranks(absent),
                    what=name,
                    waiting=_ranks(ranks).lower(),
                    s="s" if len(ranks) == 1 else "",
                )
            )
    return reasons


def _ranks(ranks: list[int]) -> str:
    if len(ranks) == 1:
        return f"Rank {ranks[0]}"
    return f"Ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"


def _sizes(records: list[RankRecord]) -> list[str]:
    """The first collective to which the ranks brought different sizes or dtypes."""
    same = {"all_reduce", "broadcast", "reduce", "all_gather", "reduce_scatter", "gather"}
    by_group: dict[tuple[tuple[int, ...], int], list[Operation]] = defaultdict(list)
    for record in records:
        counts: dict[tuple[int, ...], int] = defaultdict(int)
        for operation in record.operations:
            if operation.name in ("send", "recv"):
                continue
            by_group[operation.group, counts[operation.group]].append(operation)
            counts[operation.group] += 1
    for operations in by_group.values():
        first = operations[0]
        if first.name not in same or any(o.name != first.name for o in operations):
            continue
        if any((o.numel, o.dtype) != (first.numel, first.dtype) for o in operations):
            details = ", ".join(
                words.SIZES_DIFFER_ONE.format(
                    rank=o.rank,
                    dtype=o.dtype,
                    shape="+".join(str(list(s)) for s in o.shapes),
                    nbytes=o.nbytes,
                )
                for o in operations
            )
            return [words.SIZES_DIFFER.format(what=first.name, details=details)]
    return []


def _long_messages(records: list[RankRecord]) -> list[str]:
    """A message that is longer than the buffer it was received into."""
    for sender in records:
        for receiver in records:
            sent = [o for o in sender.operations if o.name == "send" and o.peer == receiver.rank]
            got = [o for o in receiver.operations if o.name == "recv" and o.peer == sender.rank]
            for out, into in zip(sent, got, strict=False):
                if out.nbytes > into.nbytes:
                    dtypes = words.OTHER_DTYPE if out.dtype != into.dtype else ""
                    return [
                        words.MESSAGE_LONGER.format(
                            dtypes=dtypes.format(sent=out.dtype, room=into.dtype),
                            src=sender.rank,
                            sent=out.nbytes,
                            dst=receiver.rank,
                            room=into.nbytes,
                            send_line=out.line,
                            recv_line=into.line,
                        )
                    ]
    return []


def first_divergence(sequences: list[list[str]]) -> tuple[int, list[int]]:
    """Where the ranks' sequences first differ, and the ranks not in the largest group there.

    A sequence that has ended differs from one that goes on. On a tie the group of the lowest rank
    is the largest. (-1, []) if they don't differ.
    """
    for position in range(max(map(len, sequences), default=0)):
        groups: dict[str | None, list[int]] = {}
        for rank, sequence in enumerate(sequences):
            key = sequence[position] if position < len(sequence) else None
            groups.setdefault(key, []).append(rank)
        if len(groups) > 1:
            largest = max(groups.values(), key=len)
            return position, [r for r in range(len(sequences)) if r not in largest]
    return -1, []


def _divergence(records: list[RankRecord]) -> list[str]:
    """Sends and receives differ by rank in any program; only collectives must be the same."""
    sequences = [
        [o.describe() for o in record.operations if o.name not in ("send", "recv")]
        for record in records
    ]
    position, _ = first_divergence(sequences)
    if position < 0:
        return []
    details = "; ".join(
        words.DIFFER_ONE.format(
            rank=rank,
            what=s[position] if position < len(s) else words.DIFFER_NOTHING,
        )
        for rank, s in enumerate(sequences)
    )
    return [words.DIFFER.format(position=position + 1, details=details)]


def _gloo_words(turn: Turn) -> list[str]:
    for output in turn.outputs:
        found = re.search(r"what\(\):\s*(.*)", output)
        if found:
            return [words.GLOO_SAYS.format(text=_short(found.group(1)))]
    return []
