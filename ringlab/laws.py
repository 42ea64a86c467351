"""The laws of a right schedule, each an exception of its own that says itself when broken.

The laws read a playback as it was observed. Causes come first, in the order of the steps; then
what ends up wrong, traced back to where it was lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from ringlab.words import schedule as words
from ringlab.words.lists import RANKS, join_numbers

if TYPE_CHECKING:
    from ringlab.schedule import Content, Playback, Schedule, Transfer

Says = str | tuple[str, str]
"""A template, or one for a single rank's part and one for several."""


class ScheduleError(Exception):
    """A law of a right schedule, broken. The sentence names rank, chunk and step.

    ``contributions`` are the ranks whose parts it is about, ``peer`` is the other rank of the
    message, ``line`` the learner's line. What does not apply is None or empty.
    """

    says: ClassVar[Says] = ""

    def __init__(
        self,
        says: Says | None = None,
        *,
        rank: int | None = None,
        chunk: int | None = None,
        step: int | None = None,
        contributions: tuple[int, ...] = (),
        peer: int | None = None,
        line: int | None = None,
        **more: object,
    ) -> None:
        self.rank = rank
        self.chunk = chunk
        self.step = step
        self.contributions = contributions
        self.peer = peer
        self.line = line
        values = {"rank": rank, "chunk": chunk, "step": step, "peer": peer, **more}
        super().__init__(_say(says or self.says, contributions, line, **values))


class NoSuchRank(ScheduleError):
    """A message to or from a rank that does not exist."""

    says = words.NO_SUCH_RANK


class NoSuchChunk(ScheduleError):
    """A message with a chunk that does not exist."""

    says = words.NO_SUCH_CHUNK


class SentToItself(ScheduleError):
    """A message from a rank to the same rank."""

    says = words.SENT_TO_ITSELF


class LandedInWrongChunk(ScheduleError):
    """A chunk put into the place of another one."""

    says = words.WRONG_CHUNK


class TwoWritesInOneStep(ScheduleError):
    """One chunk on one rank written by two messages of the same step."""

    says = words.TWO_WRITES


class OverwrittenBeforeUse(ScheduleError):
    """The last copy of a contribution overwritten."""

    says = words.OVERWRITTEN_BEFORE_USE


class SentBeforeHeld(ScheduleError):
    """A chunk passed on for good before everything was in it."""

    says = words.SENT_BEFORE_HELD


class CountedTwice(ScheduleError):
    """A contribution added to a sum that has it already."""

    says = words.COUNTED_TWICE


class MissingContribution(ScheduleError):
    """A contribution that is not where the goal wants it at the end."""

    says = words.MISSING


class NotWanted(ScheduleError):
    """A contribution at the end where the goal does not want it."""

    says = words.NOT_WANTED


class UnexplainedValue(ScheduleError):
    """A recorded value that no sum of contributions gives."""

    says = words.UNEXPLAINED


@dataclass(frozen=True, slots=True)
class _Arrival:
    """One chunk of one message, where and when it lands."""

    step: int
    transfer: Transfer
    chunk: int
    place: int
    content: Content

    @property
    def where_it_lands(self) -> dict[str, Any]:
        """As a fault of the receiver names it."""
        transfer = self.transfer
        rank, peer, line = transfer.dst, transfer.src, transfer.recv_line
        return {"rank": rank, "chunk": self.place, "step": self.step, "peer": peer, "line": line}

    @property
    def where_it_leaves(self) -> dict[str, Any]:
        """As a fault of the sender names it."""
        transfer = self.transfer
        rank, peer, line = transfer.src, transfer.dst, transfer.send_line
        return {"rank": rank, "chunk": self.chunk, "step": self.step, "peer": peer, "line": line}


def is_complete(content: Content, wanted: tuple[int, ...] | None) -> bool:
    """Whether a chunk holds exactly what the goal asks for there."""
    return wanted is None or (not content.unexplained and content.counts == wanted)


def can_happen(transfer: Transfer, chunk: int, place: int, schedule: Schedule) -> bool:
    ranks, chunks = range(schedule.world_size), range(schedule.chunk_count)
    return (
        transfer.src in ranks
        and transfer.dst in ranks
        and transfer.src != transfer.dst
        and chunk in chunks
        and place in chunks
    )


def broken_laws(playback: Playback, one_write_a_step: bool = True) -> list[ScheduleError]:
    """Every law that a playback breaks.

    What ends right has no fault however unusual its way, if all its messages are possible. With
    ``one_write_a_step`` two writes to one chunk in one step are a fault even then, since another
    run may order them otherwise.
    """
    history = _History(playback)
    faults = list(_impossible(playback.schedule))
    if one_write_a_step or not playback.is_right:
        faults += _two_writes(history)
    if playback.is_right:
        return sorted(faults, key=_step_of)
    faults += _wrong_chunk(history)
    faults += _overwritten_before_use(history)
    faults += _sent_before_held(history)
    faults += _counted_twice(history)
    faults += _unexplained(history)
    return sorted(faults, key=_step_of) + list(_wrong_at_the_end(history))


def _step_of(fault: ScheduleError) -> int:
    return -1 if fault.step is None else fault.step


class _History:
    """A playback with its arrivals sorted by where they land and where they come from."""

    def __init__(self, playback: Playback) -> None:
        self.playback = playback
        self.schedule = playback.schedule
        self.arrivals = list(_arrivals(playback))
        self.at: dict[tuple[int, int], list[_Arrival]] = defaultdict(list)
        self.left: dict[tuple[int, int], list[_Arrival]] = defaultdict(list)
        for arrival in self.arrivals:
            self.at[arrival.transfer.dst, arrival.place].append(arrival)
            self.left[arrival.transfer.src, arrival.chunk].append(arrival)

    def held(self, time: int, rank: int, chunk: int) -> Content:
        """What a rank held before step ``time``."""
        return self.playback.states[time][rank][chunk]

    def arrived(self, step: int, rank: int, chunk: int) -> list[_Arrival]:
        return [a for a in self.at[rank, chunk] if a.step == step]

    def cells(self) -> Iterator[tuple[int, int]]:
        """Every rank and chunk, without the chunks that have no elements."""
        for chunk, size in enumerate(self.schedule.chunk_sizes):
            for rank in range(self.schedule.world_size if size else 0):
                yield rank, chunk

    def is_last(self, arrival: _Arrival) -> bool:
        """Whether nothing lands in the same place later."""
        return self.at[arrival.transfer.dst, arrival.place][-1] is arrival


def _arrivals(playback: Playback) -> Iterator[_Arrival]:
    for index, step in enumerate(playback.schedule.steps):
        for transfer, contents in zip(step.transfers, playback.carried[index], strict=True):
            together = zip(transfer.chunks, transfer.places, contents, strict=True)
            for chunk, place, content in together:
                if can_happen(transfer, chunk, place, playback.schedule):
                    yield _Arrival(index, transfer, chunk, place, content)


def _impossible(schedule: Schedule) -> Iterator[ScheduleError]:
    size, count = schedule.world_size, schedule.chunk_count
    for step, transfer in ((i, t) for i, s in enumerate(schedule.steps) for t in s.transfers):
        src, dst, chunk = transfer.src, transfer.dst, transfer.chunks[0]
        for rank in sorted({src, dst} - set(range(size))):
            more: dict[str, Any] = {"src": src, "dst": dst, "world_size": size, "last": size - 1}
            yield NoSuchRank(rank=rank, chunk=chunk, step=step, **more)
        for bad in sorted({*transfer.chunks, *transfer.places} - set(range(count))):
            where: dict[str, Any] = {"rank": src, "chunk": bad, "step": step, "peer": dst}
            yield NoSuchChunk(chunk_count=count, last=count - 1, **where)
        if src == dst:
            yield SentToItself(rank=src, chunk=chunk, step=step, peer=dst)


def _two_writes(history: _History) -> Iterator[ScheduleError]:
    for (rank, chunk), arrivals in history.at.items():
        for step, group in groupby(arrivals, key=lambda a: a.step):
            sources = [a.transfer.src for a in group]
            if len(sources) > 1:
                peers = join_numbers(sources, RANKS)
                yield TwoWritesInOneStep(rank=rank, chunk=chunk, step=step, peers=peers)


def _wrong_chunk(history: _History) -> Iterator[ScheduleError]:
    for a in history.arrivals:
        if a.chunk != a.place:
            yield LandedInWrongChunk(**a.where_it_lands, came=a.chunk)


def _overwritten_before_use(history: _History) -> Iterator[ScheduleError]:
    for a in history.arrivals:
        if a.transfer.reduce:
            continue
        before = history.held(a.step, a.transfer.dst, a.place)
        after = [row[a.place] for row in history.playback.states[a.step + 1]]
        if any(content.unexplained for content in after):
            continue
        wanted = {w for row in history.playback.goal for w in _wanted(row[a.place])}
        gone = tuple(
            w for w in sorted(wanted) if before.counts[w] and not any(c.counts[w] for c in after)
        )
        if gone:
            hint = "" if history.is_last(a) else words.TO_BE_ADDED
            one, several = words.OVERWRITTEN_BEFORE_USE
            yield OverwrittenBeforeUse(
                (one + hint, several + hint), contributions=gone, **a.where_it_lands
            )


def _sent_before_held(history: _History) -> Iterator[ScheduleError]:
    for a in history.arrivals:
        if a.content.is_empty:
            yield SentBeforeHeld(words.SENT_NOTHING, **a.where_it_leaves)
            continue
        if a.transfer.reduce or a.content.unexplained or not history.is_last(a):
            continue
        wanted = _wanted(history.playback.goal[a.transfer.dst][a.place])
        lacking = tuple(w for w in wanted if not a.content.counts[w])
        came = [b for b in history.at[a.transfer.src, a.chunk] if b.step < a.step]
        passed_on = came and not came[-1].transfer.reduce
        if lacking and not passed_on:
            cause = _why_missing(history, lacking[0], a.transfer.src, a.chunk, a.step)
            because = ": " + cause.sentence(a.transfer.src, lacking) if cause.is_known else ""
            yield SentBeforeHeld(contributions=lacking, cause=because, **a.where_it_leaves)


def _counted_twice(history: _History) -> Iterator[ScheduleError]:
    for rank, chunk in history.cells():
        for step in range(len(history.schedule.steps)):
            before, after = history.held(step, rank, chunk), history.held(step + 1, rank, chunk)
            grown = enumerate(zip(before.counts, after.counts, strict=True))
            twice = tuple(who for who, (was, now) in grown if was < 2 <= now)
            came = history.arrived(step, rank, chunk)
            if after.unexplained or any(a.content.counts[who] > 1 for a in came for who in twice):
                continue
            times = max((after.counts[who] for who in twice), default=0)
            adding = [a for a in came if a.transfer.reduce]
            if twice and adding:
                where = adding[-1].where_it_lands
                yield CountedTwice(contributions=twice, times=times, **where)
            elif twice:
                says = words.COUNTED_TWICE_WITHOUT_MESSAGE
                where = {"rank": rank, "chunk": chunk, "step": step}
                yield CountedTwice(says, contributions=twice, times=times, **where)


def _unexplained(history: _History) -> Iterator[ScheduleError]:
    for rank, chunk in history.cells():
        if history.held(0, rank, chunk).unexplained:
            yield UnexplainedValue(words.UNEXPLAINED_AT_THE_START, rank=rank, chunk=chunk)
            continue
        for step in range(len(history.schedule.steps)):
            if history.held(step + 1, rank, chunk).unexplained:
                came = history.arrived(step, rank, chunk)
                line = came[-1].transfer.recv_line if came else None
                if not any(a.content.unexplained or a.chunk != a.place for a in came):
                    yield UnexplainedValue(rank=rank, chunk=chunk, step=step, line=line)
                break


def _wrong_at_the_end(history: _History) -> Iterator[ScheduleError]:
    end = len(history.playback.states) - 1
    for rank, chunk in history.cells():
        wanted, held = history.playback.goal[rank][chunk], history.held(end, rank, chunk)
        if is_complete(held, wanted) or held.unexplained:
            continue
        missing: dict[_Cause, tuple[int, ...]] = {}
        for who in (w for w in _wanted(wanted) if not held.counts[w]):
            cause = _why_missing(history, who, rank, chunk, end)
            missing[cause] = (*missing.get(cause, ()), who)
        for cause, parts in missing.items():
            where: dict[str, Any] = {
                "rank": rank,
                "chunk": chunk,
                "step": cause.step,
                "peer": cause.peer,
            }
            why = cause.sentence(rank, parts)
            yield MissingContribution(contributions=parts, cause=why, line=cause.line, **where)
        twice = tuple(w for w, n in enumerate(held.counts) if n > 1)
        if twice:
            yield _ends_double(history, rank, chunk, twice)
        extra = tuple(w for w, n in enumerate(held.counts) if n == 1 and w not in _wanted(wanted))
        came = history.at[rank, chunk]
        if extra and came:
            yield NotWanted(contributions=extra, **came[-1].where_it_lands)


def _ends_double(history: _History, rank: int, chunk: int, twice: tuple[int, ...]) -> ScheduleError:
    held = history.playback.states[-1][rank][chunk]
    times = max(held.counts[who] for who in twice)
    came = [a for a in history.at[rank, chunk] if a.content.counts[twice[0]] > 1]
    where: dict[str, Any] = {"rank": rank, "chunk": chunk}
    cause = ""
    if came:
        where = came[-1].where_it_lands
        cause = _say(words.CAME_DOUBLE, (), **where)
    return CountedTwice(words.ENDS_DOUBLE, contributions=twice, times=times, cause=cause, **where)


@dataclass(frozen=True)
class _Cause:
    """Why a contribution is missing, and where it went: one of the pairs in words."""

    kind: tuple[str, str]
    at: int
    step: int | None = None
    peer: int | None = None
    line: int | None = None

    @property
    def is_loss(self) -> bool:
        return self.kind in (words.LOST_ELSEWHERE, words.LOST_WITHOUT_MESSAGE)

    @property
    def is_known(self) -> bool:
        return self.is_loss or self.kind == words.STUCK

    def sentence(self, rank: int, parts: tuple[int, ...]) -> str:
        """The cause in words, as seen from ``rank``, where ``parts`` are missing."""
        kind = self.kind
        if kind == words.LOST_ELSEWHERE and self.at == rank:
            kind = words.LOST_HERE
        if kind == words.STUCK and parts == (self.at,):
            kind = words.NEVER_LEFT
        return _say(kind, parts, self.line, at=self.at, step=self.step, peer=self.peer)


def _why_missing(history: _History, who: int, rank: int, chunk: int, time: int) -> _Cause:
    """Follow a chunk back from before step ``time`` to where ``who`` was lost or never came."""
    copies = [a for a in history.at[rank, chunk] if a.step < time and not a.transfer.reduce]
    had = [s for s in range(time) if history.held(s, rank, chunk).counts[who]]
    lost = had[-1] if had else -1
    if copies and copies[-1].step >= lost and not copies[-1].content.counts[who]:
        copy = copies[-1]
        peer, line = copy.transfer.src, copy.transfer.recv_line
        upstream = _why_missing(history, who, peer, copy.chunk, copy.step)
        if upstream.is_loss:
            return upstream
        if copy.step == lost:
            return _Cause(words.LOST_ELSEWHERE, rank, lost, peer, line)
        if upstream.is_known:
            return upstream
        return _Cause(words.SENT_WITHOUT, rank, copy.step, peer, copy.transfer.send_line)
    if had:
        lines = [a.transfer.recv_line for a in history.arrived(lost, rank, chunk)]
        return _Cause(words.LOST_WITHOUT_MESSAGE, rank, lost, line=lines[-1] if lines else None)
    return _where_it_stopped(history, who, rank, chunk)


def _where_it_stopped(history: _History, who: int, rank: int, chunk: int) -> _Cause:
    """The one rank that had the contribution and sent it to nobody, if there is exactly one.

    Or what overwrote it there, unless that was the last message: the result does so by right.
    """
    states = history.playback.states
    ends = [
        holder
        for holder in range(history.schedule.world_size)
        if any(state[holder][chunk].counts[who] for state in states)
        and not any(a.content.counts[who] for a in history.left[holder, chunk])
    ]
    if len(ends) != 1 or ends[0] == rank:
        return _Cause(words.NEVER_BROUGHT, rank)
    end = ends[0]
    for a in history.at[end, chunk]:
        had, brought = history.held(a.step, end, chunk).counts[who], a.content.counts[who]
        if had and not brought and not a.transfer.reduce and not history.is_last(a):
            return _Cause(words.LOST_ELSEWHERE, end, a.step, a.transfer.src, a.transfer.recv_line)
    return _Cause(words.STUCK, end)


def _wanted(counts: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(who for who, count in enumerate(counts or ()) if count)


def _say(
    says: Says,
    contributions: tuple[int, ...],
    line: int | None = None,
    **values: object,
) -> str:
    template = says if isinstance(says, str) else says[len(contributions) != 1]
    at = "" if line is None else words.AT_LINE.format(line=line)
    return template.format(whose=join_numbers(contributions), line=at, **values)
