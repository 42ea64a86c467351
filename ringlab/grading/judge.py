"""Judge one answer: its source, then its behaviour and its traffic on real ranks."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ringlab.catalog.exercise import Exercise
from ringlab.grading.cases import Case, CaseResult, Evidence, Problem, name_of, spanned
from ringlab.grading.shape import rebound_parameter, unwritten_line
from ringlab.grading.source import judge_source
from ringlab.grading.trial import Attempt, Trial
from ringlab.grading.turns import FUNCTIONAL, file_name
from ringlab.grading.verdict import Check, Report, Verdict
from ringlab.plain import plain
from ringlab.schedule import Playback, ScheduleError, find_faults
from ringlab.trace.arrivals import unseen_arrival
from ringlab.trace.chain import never_waited
from ringlab.trace.recorder import raw_bytes
from ringlab.trace.watch import MOST_SLOTS, Trace, watch_kept
from ringlab.words import judge as words
from ringlab.world.client import Ranks, Turn
from ringlab.world.explain import Failure, explain
from ringlab.world.limits import JUDGED
from ringlab.world.wire import Header

# A learner wants the first few crashes soon, not all of them late.
MOST_CRASHES = 3
# Failures that don't come again; a machine is seldom disturbed more often.
MOST_CLEARED = 2
# Each costs a second or more; who wants to know every case looks on after the first.
MOST_HANGS = 3
# For one answer in all. A right one takes a few seconds, on a crowded machine perhaps thirty.
MOST_SECONDS = 120.0
# Starting a rank by spawn imports torch: seconds instead of milliseconds.
SPAWN_FACTOR = 5
IMPORT_SECONDS = 60.0
LOAD = "ringlab.grading.turns:load"
CASE = "ringlab.grading.turns:case"
CALLS = "ringlab.grading.turns:calls"


@dataclass
class _Finding:
    """A case that failed for good: in which promise or budget rule, and what is known about it."""

    problem: Problem
    evidence: Evidence
    hung: bool = False


@dataclass
class _Seen:
    """One try of a case: how the turn went, what came back, and what is wrong with it."""

    case: Case
    turn: Turn
    results: list[CaseResult] | None
    problem: Problem | None
    broken: dict[str, Problem]

    @property
    def is_fine(self) -> bool:
        return self.problem is None and not self.broken


@dataclass
class _Ledger:
    """What has been seen so far, by promise and by budget rule."""

    groups: dict[str, _Finding | None] = field(default_factory=dict)
    rules: dict[str, _Finding | None] = field(default_factory=dict)
    not_run: set[str] = field(default_factory=set)
    unexplained: set[str] = field(default_factory=set)
    hangs: int = 0
    returned: int = 0
    out_of_time: bool = False
    hung: bool = False
    crashes: int = 0
    cleared: int = 0

    @property
    def failed(self) -> bool:
        return any((*self.groups.values(), *self.rules.values()))


def judge(
    exercise: Exercise,
    source: str,
    *,
    file: str | None = None,
    start: str = "auto",
    seed: int | None = None,
    thorough: bool = False,
) -> Report:
    """Judge `source`, the whole cell or file that defines the exercise's function.

    start: "auto", "fork" or "spawn", as in `ringlab.run`. seed: draws the same values again.
    thorough: try every world size and every promise, also after something failed.
    What breaks in the course's own machinery is the verdict "could not be judged".
    """
    begun = time.monotonic()
    judgement = _Judgement(exercise, source, start, seed, thorough)
    try:
        checks, playback = judgement.judge()
        passed = all(check.passed for check in checks)
        verdict: Verdict = "passed" if passed else "failed"
        if judgement.ledger.out_of_time and not judgement.ledger.failed:
            # Nothing was seen to be wrong; a right answer on a crowded machine may end so.
            checks = [
                replace(check, message=words.OUT_OF_TIME.format(seconds=judgement.seconds))
                if check.message == words.NOT_RUN
                else check
                for check in checks
            ]
            verdict = "could not be judged"
    except _CellFails as failure:
        checks, verdict, playback = [failure.check], "failed", None
    except Exception as error:
        # Whatever breaks here is the judge's own fault, and must not stop the judging of others.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        checks = [
            Check("behaviour", words.GROUP_RUNS, False, words.MACHINERY.format(reason=reason))
        ]
        verdict, playback = "could not be judged", None
    seconds = time.monotonic() - begun
    return Report(
        exercise.id,
        verdict,
        tuple(checks),
        seconds,
        file,
        source,
        playback,
        frozenset(judgement.ledger.unexplained),
    )


class _CellFails(Exception):
    """The answer's cell can't be run; no case can be tried."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.message)
        self.check = check


class _Judgement:
    def __init__(
        self, exercise: Exercise, source: str, start: str, seed: int | None, thorough: bool
    ) -> None:
        self.thorough = thorough
        self.said: dict[str, str] = {}
        self.unseen: tuple[int, int, int] | None = None
        self.seconds = MOST_SECONDS * (SPAWN_FACTOR if start == "spawn" else 1)
        self.end = time.monotonic() + self.seconds
        self.exercise = exercise
        self.source = source
        self.start = start
        self.generator = torch.Generator()
        self.generator.manual_seed(secrets.randbits(63) if seed is None else seed)
        self.ledger = _Ledger()
        self.traffic = exercise.traffic() if exercise.traffic else None

    def judge(self) -> tuple[list[Check], Playback | None]:
        findings = judge_source(self.source, self.exercise.rules())
        if findings and (line := unwritten_line(self.source, self.exercise.id)):
            name = words.GROUP_RUNS
            return [Check("behaviour", name, False, words.NOT_WRITTEN, None, line)], None
        if findings:
            return [
                Check("source", words.SOURCE, False, each.message, None, each.line)
                for each in findings
            ], None
        checks = [Check("source", words.SOURCE, True)]
        if self.exercise.trial is not None:
            return checks + self._tried(self.exercise.trial()), None
        if not self.exercise.ranks:
            return checks + self._plain(), None
        for world_size in self._worlds():
            self._world(world_size)
            if self.ledger.failed and not self.thorough:
                break
        unwritten = self._unwritten()
        if unwritten is not None:
            return [*checks, unwritten], None
        checks += [self._check("behaviour", *each) for each in self.ledger.groups.items()]
        checks += [self._check("traffic", *each) for each in self.ledger.rules.items()]
        playback = self._shown()
        if self.unseen is not None and self.exercise.replay:
            rank, src, element = self.unseen
            world_size, elements = self.exercise.replay
            message = words.HIDDEN.format(
                world_size=world_size, elements=elements, rank=rank, src=src, element=element
            )
            checks.append(Check("traffic", words.TRAFFIC_HIDDEN, False, message, rank))
            self.ledger.unexplained |= set(self.ledger.groups)
        return checks, playback

    def _worlds(self) -> Iterator[int]:
        """The world sizes to try; of several that stand for one, one is drawn."""
        for entry in self.exercise.worlds:
            if isinstance(entry, int):
                yield entry
            else:
                index = int(torch.randint(len(entry), (), generator=self.generator))
                yield entry[index]

    def _tried(self, trial: Trial) -> list[Check]:
        attempt = Attempt(self.exercise, self.source, self.generator, self.start, self.thorough)
        checks = []
        for each in trial(attempt):
            problem = each.problem
            message = problem.message if problem else "" if each.ran else words.NOT_RUN
            where = (problem.rank, problem.line) if problem else (None, None)
            check = Check(each.layer, each.name, each.ran and problem is None, message, *where)
            if message == words.NOT_WRITTEN:
                return [check]
            checks.append(check)
        return checks

    def _unwritten(self) -> Check | None:
        for name, finding in self.ledger.groups.items():
            if finding is not None and finding.problem.message == words.NOT_WRITTEN:
                return Check(
                    "behaviour", name, False, words.NOT_WRITTEN, None, finding.problem.line
                )
        return None

    def _load(self, ranks: Ranks) -> Turn:
        policy = self.exercise.rules().policy
        allowed = {"modules": policy.modules, "builtins": sorted(policy.builtins)}
        header = {"do": LOAD, "exercise": self.exercise.id, "policy": allowed}
        seconds = self.exercise.deadline + (IMPORT_SECONDS if FUNCTIONAL in self.source else 0)
        return ranks.turn([(header, self.source.encode())] * ranks.world_size, seconds)

    def _explain(self, turn: Turn) -> Failure:
        own = file_name(self.exercise.id)
        return explain(
            turn, self.exercise.id, self.exercise.deadline, lambda f: f == own, self.source
        )

    def _world(self, world_size: int) -> None:
        cases = self.exercise.cases(world_size, self.generator)
        for case in cases:
            self.ledger.groups.setdefault(case.group, None)
        if self.traffic:
            for name in self.traffic.names():
                self.ledger.rules.setdefault(name, None)
        waiting = list(cases)
        while waiting and not self.ledger.hung:
            waiting = self._share(world_size, waiting)
        self.ledger.not_run |= {case.group for case in waiting}

    def _share(self, world_size: int, cases: list[Case]) -> list[Case]:
        """Try cases on one start of the ranks until one fails; gives back the rest."""
        with self._ready(world_size) as ranks:
            passed: list[Case] = []
            for i, case in enumerate(cases):
                if self.ledger.groups[case.group] is not None:
                    continue
                if time.monotonic() > self.end:
                    self.ledger.out_of_time = True
                enough = self.ledger.crashes >= MOST_CRASHES and not self.thorough
                if enough or self.ledger.out_of_time:
                    self.ledger.not_run.add(case.group)
                    continue
                seen = self._see(ranks, case)
                if seen.is_fine:
                    passed.append(case)
                    continue
                self._write_down(self._confirmed(seen, passed))
                return cases[i + 1 :]
        return []

    def _ready(self, world_size: int, group: bool = True) -> Ranks:
        """Ranks that have run the answer's cell."""
        ranks = Ranks(world_size, start=self.start, group=group, limits=JUDGED)
        turn = self._load(ranks)
        if turn.ended != "returned":
            ranks.close()
            failure = self._explain(turn)
            message = words.CELL_RAISED.format(what=_guilty(failure))
            raise _CellFails(
                Check("behaviour", words.GROUP_RUNS, False, message, None, failure.line)
            )
        for record in turn.records:
            for operation in record.operations:
                if operation.name != "new_group":
                    ranks.close()
                    text = words.CELL_COMMUNICATES.format(what=operation.describe())
                    raise _CellFails(
                        Check("traffic", words.GROUP_RUNS, False, text, None, operation.line)
                    )
        return ranks

    def _see(self, ranks: Ranks, case: Case) -> _Seen:
        turn, results = self._try(ranks, case)
        problem, broken = self._look(case, turn, results)
        return _Seen(case, turn, results, problem, broken)

    def _see_again(self, before: list[Case], case: Case) -> _Seen:
        with self._ready(case.world_size) as ranks:
            for each in before:
                self._try(ranks, each)
            return self._see(ranks, case)

    def _confirmed(self, seen: _Seen, passed: list[Case]) -> _Seen:
        """A failure that others may have caused is run again before it counts.

        First alone, on fresh ranks; then, if it is right there, behind the calls that it failed
        behind: an answer that keeps something between calls fails again. Wrong values that come in
        neither are a race. Another failure was disturbed from outside; that happens once or twice,
        not more often.
        """
        if not passed or seen.turn.ended in ("hung", "deadline"):
            return seen
        alone = self._see_again([], seen.case)
        if not alone.is_fine:
            return alone
        behind = self._see_again(passed, seen.case)
        if not behind.is_fine:
            if behind.problem is not None:
                text = f"{behind.problem.message} {words.KEEPS_SOMETHING}"
                behind.problem = replace(behind.problem, message=text)
            behind.broken = {
                name: replace(each, message=f"{each.message} {words.KEEPS_SOMETHING}")
                for name, each in behind.broken.items()
            }
            return behind
        if seen.turn.ended == "returned" and seen.problem is not None:
            # A crowded machine makes ranks late, which a right answer stands; it makes no values.
            text = f"{seen.problem.message} {words.NOT_EVERY_TIME}"
            seen.problem = replace(seen.problem, message=text)
            return seen
        self.ledger.cleared += 1
        return behind if self.ledger.cleared <= MOST_CLEARED else seen

    def _write_down(self, seen: _Seen) -> None:
        evidence = Evidence(seen.case, seen.results, seen.turn.records)
        hung = seen.turn.ended in ("hung", "deadline")
        if seen.problem is not None:
            self.ledger.groups[seen.case.group] = _Finding(seen.problem, evidence, hung)
            self.ledger.hangs += hung
            # One that spins until the deadline costs too much to be tried again.
            patient = self.thorough and seen.turn.ended == "hung"
            self.ledger.hung = hung and not (patient and self.ledger.hangs < MOST_HANGS)
            self.ledger.crashes += seen.turn.ended != "returned"
        for name, each in seen.broken.items():
            if self.ledger.rules[name] is None:
                self.ledger.rules[name] = _Finding(each, evidence)

    def _look(
        self, case: Case, turn: Turn, results: list[CaseResult] | None
    ) -> tuple[Problem | None, dict[str, Problem]]:
        if turn.ended != "returned":
            failure = self._explain(turn)
            rank = failure.guilty[0] if failure.guilty else None
            if failure.is_unwritten:
                self.ledger.crashes = MOST_CRASHES
            message = _message(failure)
            if case.refuses and not failure.is_unwritten:
                message = words.NOT_REFUSED_ENDED.format(why=case.refuses, what=message)
            return Problem(message, rank, failure.line), {}
        if results is None:
            return Problem(words.REFUSED_FRAME), {}
        for rank, outcome in enumerate(turn.outcomes):
            if outcome.header.get("changed") is not None:
                name = str(outcome.header["changed"])[:80]
                return Problem(words.CHANGED_TORCH.format(rank=rank, name=name), rank), {}
        self.ledger.returned += 1
        problem = case.judge(case, results)
        if case.refuses:
            return problem or _sent_before_it_refused(turn), {}
        broken = self.traffic.judge(case, turn.records) if self.traffic else {}
        if problem is None and words.TRAFFIC_OPERATIONS in broken:
            self.ledger.unexplained.add(case.group)
        already = self.ledger.rules
        return problem, {name: p for name, p in broken.items() if already[name] is None}

    def _try(self, ranks: Ranks, case: Case) -> tuple[Turn, list[CaseResult] | None]:
        nonce = secrets.token_hex(8)
        requests = [self._request(case, rank, nonce) for rank in range(case.world_size)]
        turn = ranks.turn(requests, self.exercise.deadline)
        if turn.ended != "returned":
            return turn, None
        try:
            return turn, [
                read_result(case, rank, outcome.header, outcome.payload, nonce)
                for rank, outcome in enumerate(turn.outcomes)
            ]
        except (KeyError, TypeError, ValueError, IndexError, RuntimeError, AttributeError):
            return turn, None

    def _request(self, case: Case, rank: int, nonce: str) -> tuple[Header, bytes]:
        metas, blobs = [], []
        for value in case.arguments[rank]:
            meta, data = _argument(value)
            metas.append(meta)
            blobs.append(data)
        header = {
            "do": CASE,
            "nonce": nonce,
            "arguments": metas,
            "watched": case.watched,
            "delay": case.delays[rank] if case.delays else 0.0,
            "refuses": bool(case.refuses),
        }
        return header, b"".join(blobs)

    def _plain(self) -> list[Check]:
        """An exercise without ranks: all its calls in one process, judged by its cases."""
        checks = []
        for world_size in self._worlds():
            for case in self.exercise.cases(world_size, self.generator):
                if self.ledger.hung:
                    checks.append(Check("behaviour", case.name, False, words.NOT_RUN))
                    continue
                problem = self._plain_case(case)
                where = (problem.rank, problem.line) if problem else (None, None)
                message = problem.message if problem else ""
                checks.append(Check("behaviour", case.name, problem is None, message, *where))
                if problem is not None and not self.thorough:
                    return checks
        return checks

    def _plain_case(self, case: Case) -> Problem | None:
        """Every call twice, in a random order: the same question has one answer."""
        assert case.calls is not None
        count = len(case.calls)
        order = [int(i) % count for i in torch.randperm(2 * count, generator=self.generator)]
        nonce = secrets.token_hex(8)
        with self._ready(1, group=False) as ranks:
            header = {"do": CALLS, "nonce": nonce, "calls": [case.calls[i] for i in order]}
            turn = ranks.turn([(header, b"")], self.exercise.deadline)
        if turn.ended != "returned":
            failure = self._explain(turn)
            self.ledger.hung = turn.ended in ("hung", "deadline") or failure.is_unwritten
            return Problem(_message(failure), None, failure.line)
        answer = turn.outcomes[0].header
        try:
            if answer["nonce"] != nonce or len(answer["returned"]) != len(order):
                raise ValueError
            returned = [read_value(meta, b"")[0] for meta in answer["returned"]]
        except (KeyError, TypeError, ValueError):
            return Problem(words.REFUSED_FRAME)
        answers: dict[int, Any] = {}
        for i, value in zip(order, returned, strict=True):
            if repr(answers.setdefault(i, value)) != repr(value):
                arguments = ", ".join(map(repr, case.calls[i]))
                call = f"{self.exercise.id}({arguments})"
                text = words.TWO_ANSWERS.format(call=call, one=shown(answers[i]), two=shown(value))
                return Problem(text)
        return case.judge(case, [CaseResult([], answers[i]) for i in range(count)])

    def _check(self, layer: Any, name: str, finding: _Finding | None) -> Check:
        if finding is None:
            skipped = layer == "behaviour" and name in self.ledger.not_run
            unseen = self.ledger.hangs or not self.ledger.returned
            if skipped or (layer == "traffic" and unseen):
                return Check(layer, name, False, words.NOT_RUN)
            return Check(layer, name, True)
        case, problem = finding.evidence.case, finding.problem
        text = words.CASE_ONE_RANK if case.world_size == 1 else words.CASE
        where = text.format(world_size=case.world_size, name=case.name)
        before = self.said.setdefault(problem.message, name)
        if before != name:
            message = words.SAME_AS.format(case=where, name=before)
            return Check(layer, name, False, message, problem.rank, problem.line)
        message = words.ON_CASE.format(case=where, message=problem.message)
        line = problem.line
        more = self._more(finding) if layer == "behaviour" else self._known(finding)
        for extra, at in more:
            message += f" {extra}"
            line = line or at
        return Check(layer, name, False, message, problem.rank, line)

    def _more(self, finding: _Finding) -> Iterator[tuple[str, int | None]]:
        """What a replay with coded values and the recognisers add to a wrong value."""
        evidence = finding.evidence
        if evidence.results is None:
            yield from self._known(finding)
            return
        watched = evidence.case.watched
        rebound = None
        if watched is not None:
            rebound = rebound_parameter(self.source, self.exercise.id, watched)
        if rebound is not None:
            name, line = rebound
            yield words.REBOUND.format(name=name, line=line), line
            return
        for operation in never_waited(evidence.records):
            text = words.NOT_WAITED.format(
                rank=operation.rank, what=operation.describe(), line=operation.line
            )
            yield text, operation.line
            return
        with contextlib.suppress(Exception):
            evidence.replay = evidence.replay or self._replay(evidence)
        known = list(self._known(finding))
        if known:
            yield from known
            return
        fault = None
        with contextlib.suppress(Exception):
            fault = self._first_fault(evidence.replay, finding.problem.rank)
        if fault is not None:
            yield str(fault), fault.line

    def _first_fault(self, replay: Trace | None, rank: int | None) -> ScheduleError | None:
        if replay is None or replay.decoded is None:
            return None
        faults = find_faults(replay.playback())
        return next((f for f in faults if f.rank == rank), faults[0] if faults else None)

    def _known(self, finding: _Finding) -> Iterator[tuple[str, int | None]]:
        """The first mistake that is recognised. A recogniser that breaks says nothing."""
        for mistake in self.exercise.mistakes:
            try:
                sentence = mistake.recognise(finding.evidence)
            except Exception:
                sentence = None
            if sentence:
                yield sentence, None
                return

    def _replay(self, evidence: Evidence) -> Trace | None:
        case, tensor = evidence.case, evidence.case.tensor
        if tensor is None or tensor.dim() != 1:
            return None
        if not 0 < tensor.numel() * case.world_size <= MOST_SLOTS:
            return None
        # What a collective carries can't be seen, and what is not a sum of copies not be read.
        names = {o.name for record in evidence.records for o in record.operations}
        if self.exercise.collective is None or not names <= {"send", "recv"}:
            return None
        return self._watch(case.world_size, tensor.numel(), *case.arguments[0][1:])

    def _watch(self, world_size: int, elements: int, *more: Any) -> Trace:
        own = file_name(self.exercise.id)
        collective = self.exercise.collective or "all_reduce"
        # Of what is watched, a broadcast alone has an argument behind the tensor: its root.
        root = more[0] if collective == "broadcast" else None
        with self._ready(world_size) as ranks:
            trace = watch_kept(
                ranks,
                self.exercise.id,
                elements,
                self.exercise.deadline,
                lambda f: f == own,
                arguments=more,
                collective=(collective, root),
            )
        trace.source = self.source
        return trace

    def _shown(self) -> Playback | None:
        """The run to show: the one that failed, where it can be read, else the exercise's own.

        A picture helps; what breaks in making it must not touch the verdict.
        """
        for finding in (*self.ledger.groups.values(), *self.ledger.rules.values()):
            if finding is None:
                continue
            if finding.hung:
                return None
            evidence = finding.evidence
            with contextlib.suppress(Exception):
                replay = evidence.replay or self._replay(evidence)
                if replay is not None and replay.decoded is not None:
                    return replay.playback()
        if not self.exercise.replay or self.ledger.failed:
            return None
        trace = self._watch(*self.exercise.replay)
        if trace.decoded is None:
            return None
        self.unseen = unseen_arrival(trace.decoded)
        with contextlib.suppress(Exception):
            return trace.playback()
        return None


def _sent_before_it_refused(turn: Turn) -> Problem | None:
    for rank, record in enumerate(turn.records):
        if record.operations:
            line = record.operations[0].line
            return Problem(words.SENT_BEFORE_REFUSING.format(rank=rank, line=line), rank, line)
    return None


def _argument(value: Any) -> tuple[Header, bytes]:
    if isinstance(value, torch.Tensor) and value.is_meta:
        shape, dtype = list(value.shape), name_of(value.dtype)
        return {"kind": "meta", "dtype": dtype, "shape": shape, "nbytes": 0}, b""
    if isinstance(value, torch.Tensor):
        data = raw_bytes(spanned(value))
        meta = {
            "kind": "tensor",
            "dtype": name_of(value.dtype),
            "shape": list(value.shape),
            "strides": list(value.stride()),
        }
        return {**meta, "nbytes": len(data)}, data
    if isinstance(value, list):
        items = [_argument(item) for item in value]
        data = b"".join(each for _, each in items)
        meta = {"kind": "tensors", "items": [item for item, _ in items]}
        return {**meta, "nbytes": len(data)}, data
    return {"kind": "value", "value": value}, b""


def read_result(case: Case, rank: int, header: Header, payload: bytes, nonce: str) -> CaseResult:
    """A rank's answer, checked against what was asked. A forged one raises."""
    if header["nonce"] != nonce:
        raise ValueError
    arguments: list[Any] = []
    spoiled: list[str] = []
    given = case.arguments[rank]
    if len(header["arguments"]) != len(given):
        raise ValueError
    for value, meta in zip(given, header["arguments"], strict=True):
        if isinstance(value, torch.Tensor):
            tensor, payload = _after(value, payload, spoiled)
            arguments.append(tensor)
        elif isinstance(value, list):
            tensors = []
            for item in value:
                tensor, payload = _after(item, payload, spoiled)
                tensors.append(tensor)
            arguments.append(tensors)
        else:
            arguments.append(value)
        spoiled += [str(each) for each in meta.get("spoiled", ())]
    returned, rest = read_value(header["returned"], payload)
    if rest:
        raise ValueError
    shares, refused, stale = (header[each] is True for each in ("shares", "refused", "stale"))
    return CaseResult(arguments, returned, spoiled, shares, refused, stale)


def _after(given: torch.Tensor, payload: bytes, spoiled: list[str]) -> tuple[torch.Tensor, bytes]:
    """A tensor argument as it is after the call, and the payload behind it.

    Gaps between the elements of one that is not contiguous must be as they were.
    """
    if given.is_meta:
        return given, payload
    before = spanned(given)
    size = before.numel() * before.element_size()
    after = _tensor(payload[:size], given.dtype, before.shape)
    between = torch.ones(before.shape, dtype=torch.bool)
    between.as_strided(given.shape, given.stride()).fill_(False)
    if not torch.equal(before[between], after[between]):
        spoiled.append(words.NEIGHBOURS_CHANGED)
    return after.as_strided(given.shape, given.stride()), payload[size:]


@dataclass(frozen=True)
class Other:
    """A returned value of a kind that no exercise asks for."""

    type: str

    def __repr__(self) -> str:
        return f"<{self.type}>"


def read_value(meta: Header, payload: bytes) -> tuple[Any, bytes]:
    """A returned value and the payload behind it."""
    kind = meta["kind"]
    if kind == "none":
        return None, payload
    if kind == "value":
        value = meta["value"]
        if type(value) not in (bool, int, float, str):
            raise ValueError
        return value, payload
    if kind in ("tuple", "list", "set"):
        items = []
        for each in meta["items"]:
            item, payload = read_value(each, payload)
            items.append(item)
        made = {"tuple": tuple, "list": list, "set": frozenset}[kind]
        return made(items), payload
    if kind == "tensor":
        size = int(meta["nbytes"])
        if not 0 <= size <= len(payload):
            raise ValueError
        dtype = getattr(torch, meta["dtype"])
        if not isinstance(dtype, torch.dtype):
            raise ValueError
        return _tensor(payload[:size], dtype, torch.Size(meta["shape"])), payload[size:]
    return Other(str(meta["type"])), payload


def shown(value: Any) -> str:
    """A returned value for a message."""
    if isinstance(value, Other):
        return words.OF_TYPE.format(type=plain(value.type, 80))
    if isinstance(value, torch.Tensor):
        return words.OF_TYPE.format(type="Tensor")
    return plain(repr(value), 80)


def _tensor(data: bytes, dtype: torch.dtype, shape: torch.Size) -> torch.Tensor:
    if not data:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(dtype).reshape(shape)


def _message(failure: Failure) -> str:
    if failure.kind == "raised":
        if failure.is_unwritten:
            return words.NOT_WRITTEN
        return _guilty(failure)
    return failure.text()


def _guilty(failure: Failure) -> str:
    """One line for the first rank at fault."""
    if not failure.guilty:
        return failure.text()
    state = failure.states[failure.guilty[0]]
    return words.RANK_DID.format(rank=state.rank, text=state.text())
