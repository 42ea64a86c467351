"""Judging grade_worker: files drawn anew, each with the verdict it deserves and its deadline."""

from __future__ import annotations

import contextlib
import secrets
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ringlab.grading.cases import Problem
from ringlab.grading.grader_turns import MODULE
from ringlab.grading.trial import Attempt, Tried
from ringlab.grading.worker_files import PASSED, WorkerFile, draw_files
from ringlab.plain import plain
from ringlab.words import autograder as words
from ringlab.words import judge as judge_words
from ringlab.words.lists import join_numbers
from ringlab.world.client import Ranks, Turn
from ringlab.world.explain import explain
from ringlab.world.limits import JUDGED
from ringlab.world.wire import Header

TURNS = "ringlab.grading.grader_turns:"
LOAD_SECONDS = 60.0
# Beyond a file's timeout: what starting, killing and cleaning up may take.
SLACK = 5.0
# Beyond that the grader counts as one that does not answer.
LAST_SECONDS = 5.0
# Files that are graded side by side; more would wait for each other on two cores.
LANES = 2
# In the command line of a forked copy of the process that grades.
OWN_COMMAND = "ringlab.world"
# All of them: by chance that is next to impossible even for two.
FEWEST_ALIKE = 2
GROUPS = (
    words.GROUP_NO_FILE,
    words.GROUP_BROKEN,
    words.GROUP_RIGHT,
    words.GROUP_EXITS,
    words.GROUP_FAILS,
    words.GROUP_WORK,
    words.GROUP_HANGS,
    words.GROUP_CLEAN,
    words.GROUP_PORT,
)


@dataclass
class _Graded:
    """What came of one file.

    ports: those at which its ranks met. is_doubtful: a crowded machine may be the reason.
    """

    file: WorkerFile
    problem: Problem | None
    left: Problem | None = None
    ports: tuple[str, ...] = ()
    is_doubtful: bool = False


def try_grader(attempt: Attempt) -> Iterator[Tried]:
    """Have every file graded, until one is graded wrong (all of them if thorough)."""
    files = draw_files(attempt.generator)
    graded = _grade_all(attempt, files)
    problems: dict[str, Problem] = {}
    for each in graded:
        if each.problem is not None:
            problems.setdefault(each.file.group, each.problem)
        if each.left is not None:
            problems.setdefault(words.GROUP_CLEAN, each.left)
    port = _same_port(graded)
    if port is not None:
        problems[words.GROUP_PORT] = port
    done = {each.file.what for each in graded}
    of_all = (words.GROUP_CLEAN, words.GROUP_PORT)
    tried = []
    for group in GROUPS:
        own = {file.what for file in files if group in of_all or file.group == group}
        ran = group in problems or own <= done
        tried.append(Tried(group, problems.get(group), ran=ran))
    # A report is read from the top: what there is to mend comes before what was not run.
    yield from sorted(tried, key=lambda each: not each.ran)


def _grade_all(attempt: Attempt, files: list[WorkerFile]) -> list[_Graded]:
    """Grade the files, as many at a time as there are lanes, each lane with a process of its own.

    Raises what broke in the machinery.
    """
    waiting = deque(files)
    graded: list[_Graded] = []

    def lane() -> None:
        with contextlib.ExitStack() as stack:
            process: _Process | None = None
            try:
                while waiting:
                    file = waiting.popleft()
                    if process is None or process.is_gone:
                        process = stack.enter_context(_Process(attempt))
                    done = process.grade(file)
                    graded.append(done)
                    failed = done.problem is not None or done.left is not None
                    if process.is_hopeless or (failed and not attempt.thorough):
                        waiting.clear()
            except IndexError:
                # The other lane was quicker.
                return
            except BaseException:
                waiting.clear()
                raise

    with ThreadPoolExecutor(LANES) as pool:
        lanes = [pool.submit(lane) for _ in range(LANES)]
    for each in lanes:
        each.result()
    graded.sort(key=lambda each: files.index(each.file))
    return [_confirmed(attempt, each) if each.is_doubtful else each for each in graded]


def _confirmed(attempt: Attempt, graded: _Graded) -> _Graded:
    """What was too slow is graded once more, alone, before it counts."""
    with _Process(attempt) as process:
        return process.grade(graded.file)


class _Process:
    """A process of its own, without a group, in which the answer's cell is loaded.

    is_gone: it can grade no more files. is_hopeless: nor could another one.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.is_gone = self.is_hopeless = False
        self.ranks = Ranks(1, start=attempt.start, group=False, limits=JUDGED)
        header = {"do": TURNS + "load", "exercise": attempt.exercise.id}
        turn = self.ranks.turn([(header, attempt.source.encode())], LOAD_SECONDS, detect_hang=False)
        self.unloaded: Problem | None = None
        if turn.ended != "returned":
            self.is_gone = self.is_hopeless = True
            what = self._explain(turn, LOAD_SECONDS)
            message = judge_words.CELL_RAISED.format(what=what.message)
            self.unloaded = Problem(message, None, what.line)

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.ranks.close()

    def _explain(self, turn: Turn, seconds: float) -> Problem:
        name = self.attempt.exercise.id
        failure = explain(turn, name, seconds, _is_answer, self.attempt.source)
        state = failure.states[0]
        return Problem(state.what, None, state.line)

    def grade(self, file: WorkerFile) -> _Graded:
        """Have one file graded and look at what came of it."""
        if self.unloaded is not None:
            return _Graded(file, self.unloaded)
        nonce = secrets.token_hex(8)
        header = {
            "do": TURNS + "grade",
            "nonce": nonce,
            "name": f"{secrets.token_hex(4)}.py",
            "has_file": file.text is not None,
            "is_folder": file.is_folder,
            "world_size": file.world_size,
            "timeout": file.timeout,
        }
        last = file.timeout + SLACK + LAST_SECONDS
        asked = [(header, (file.text or "").encode())]
        turn = self.ranks.turn(asked, last, detect_hang=False)
        if turn.ended != "returned":
            self.is_gone = True
            return _Graded(file, self._no_answer(file, turn, last))
        told = turn.outcomes[0].header
        if told.get("nonce") != nonce:
            self.is_gone = True
            return _Graded(file, Problem(judge_words.REFUSED_FRAME))
        return self._look(file, told)

    def _no_answer(self, file: WorkerFile, turn: Turn, last: float) -> Problem:
        outcome = turn.outcomes[0]
        state = self._explain(turn, last)
        if outcome.kind == "unfinished":
            text = words.NO_ANSWER.format(
                what=file.what, seconds=last, timeout=file.timeout, hint=file.hint
            )
            return Problem(text.strip(), None, state.line)
        text = words.GRADER_DIED.format(what=file.what, how=state.message, hint=words.HINT_FORKED)
        return Problem(text, None, state.line)

    def _look(self, file: WorkerFile, told: Header) -> _Graded:
        notes = {name: text.split() for name, text in told["notes"].items()}
        ports = tuple(note[1] for note in notes.values() if len(note) == 2)[:1]
        left = None
        if told["left"]:
            names = [words.A_COPY if OWN_COMMAND in line else line for line in told["left"]]
            hint = file.hint if file.group == words.GROUP_CLEAN else words.HINT_KILL
            text = words.LEFT_PROCESSES.format(
                what=file.what, which=plain(" · ".join(dict.fromkeys(names)), 200), hint=hint
            )
            left = Problem(text)
        problem = self._wrong(file, told, notes)
        if problem is not None and problem.message == judge_words.NOT_WRITTEN:
            self.is_hopeless = True
        seconds = float(told["seconds"])
        late = seconds > file.timeout or (seconds > file.timeout / 2 and PASSED in file.verdicts)
        return _Graded(file, problem, left, ports, problem is not None and late)

    def _wrong(self, file: WorkerFile, told: Header, notes: dict[str, list[str]]) -> Problem | None:
        if told["raised"] is not None:
            return _raised(file, told["raised"])
        meta = told["returned"]
        got = meta.get("value") if meta["kind"] == "value" else None
        if type(got) is not str or got not in file.verdicts:
            said = repr(got) if meta["kind"] == "value" else meta.get("type", meta["kind"])
            wanted = words.OR.join(map(repr, file.verdicts))
            text = words.WRONG_VERDICT.format(
                what=file.what,
                ranks=_counted(file.world_size),
                got=plain(said, 80),
                wanted=wanted,
                hint=file.hint,
            )
            return Problem(text.strip())
        if told["seconds"] > file.timeout + SLACK:
            text = words.TOO_LATE.format(
                what=file.what,
                seconds=told["seconds"],
                timeout=file.timeout,
                slack=SLACK,
                hint=file.hint,
            )
            return Problem(text.strip())
        return _never_ran(file, notes) if got == PASSED else None


def _is_answer(file: str) -> bool:
    return file.endswith(f"/{MODULE}.py")


def _raised(file: WorkerFile, error: Header) -> Problem:
    lines = [frame[1] for frame in error["frames"] if _is_answer(str(frame[0]))]
    line = lines[-1] if lines else None
    if error["type"] == "NotImplementedError":
        return Problem(judge_words.NOT_WRITTEN, None, line)
    message = plain(str(error["message"]).strip().split("\n")[0], 300)
    text = words.GRADER_RAISED.format(
        what=file.what, type=plain(error["type"], 80), message=message
    )
    return Problem(text.rstrip(": "), None, line)


def _never_ran(file: WorkerFile, notes: dict[str, list[str]]) -> Problem | None:
    """Ranks that did not come to the end of a worker that is said to have passed."""
    missing = [rank for rank in range(file.world_size) if str(rank) not in notes]
    if missing:
        text = words.NEVER_RAN.format(
            what=file.what, ranks=_counted(file.world_size), missing=join_numbers(missing)
        )
        return Problem(text)
    sizes = {note[0] for note in notes.values() if note} - {str(file.world_size)}
    if sizes:
        text = words.WRONG_WORLD.format(
            what=file.what, got=plain(min(sizes), 20), wanted=file.world_size
        )
        return Problem(text)
    return None


def _same_port(graded: list[_Graded]) -> Problem | None:
    ports = [port for each in graded for port in each.ports]
    if len(ports) < FEWEST_ALIKE or len(set(ports)) > 1:
        return None
    return Problem(words.SAME_PORT.format(count=len(ports), port=plain(ports[0], 20)))


def _counted(ranks: int) -> str:
    return words.RANKS[min(ranks, 2)].format(count=ranks)
