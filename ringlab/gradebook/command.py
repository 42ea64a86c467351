"""`./course grade`: what is there to do, who does it, and what is written down of it."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ringlab import catalog
from ringlab.gradebook import files, pages, results
from ringlab.gradebook.discover import (
    BadIdentity,
    Found,
    Plan,
    digest,
    find,
    identity,
)
from ringlab.gradebook.pages import Progress
from ringlab.gradebook.pool import Answer, Pool, PoolError, Task
from ringlab.gradebook.progress import Bar, in_words
from ringlab.gradebook.store import Gradebook, GradebookError, Judgement, NotebookRun
from ringlab.gradebook.worker import seed_for
from ringlab.plain import plain
from ringlab.words import gradebook as words
from ringlab.work import CommandError

ROOT = Path(__file__).resolve().parents[2]
NOT_JUDGED, INTERRUPTED = 2, 130
INDEX_SECONDS = 20.0
# The index of a large class takes long to write; it gets at most this share of the time.
INDEX_SHARE = 0.05
NOTEBOOK_TASK_SECONDS = 720.0
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")


@dataclass(frozen=True)
class Options:
    """How a class is graded; the command line's options, by their names."""

    jobs: int = 0
    nbval: bool = True
    seed: int | None = None
    sandbox: str = "auto"
    start: str = "auto"
    private_cases: Path | None = None
    identity: str = "auto"
    exercises: tuple[str, ...] = ()
    regrade: tuple[str, ...] = ()


def grade(paths: Sequence[Path], out: Path, options: Options = Options()) -> int:
    """Grade what lies under `paths` into the folder `out`.

    Exit status 0 when everything was judged, 2 when something could not be, 130 when it was
    stopped. Raises CommandError when nothing can be graded.
    """
    begun = time.monotonic()
    out = Path(os.path.abspath(out)).resolve()
    _refuse(paths, options)
    found = _found(paths, out, options)
    if not found.submissions:
        raise CommandError(words.NOTHING_HANDED_IN.format(paths=", ".join(map(str, paths))))
    try:
        with Gradebook(out, options.seed) as book:
            files.remove_parts(out)
            grading = _Grading(book, found, options, paths)
            return grading.run(begun)
    except (GradebookError, PoolError) as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(words.CANT_WRITE.format(folder=out, reason=reason)) from None


def _refuse(paths: Sequence[Path], options: Options) -> None:
    for path in paths:
        if not path.exists():
            raise CommandError(words.NO_PATH.format(path=path))
        if path.is_file() and path.suffix.lower() in _ARCHIVES:
            raise CommandError(words.IS_ARCHIVE.format(path=path))
    if options.jobs < 0:
        raise CommandError(words.BAD_JOBS.format(jobs=options.jobs))
    if options.seed is not None and not 0 <= options.seed < 2**63:
        raise CommandError(words.BAD_SEED.format(seed=options.seed))
    known = [each.id for each in catalog.all_exercises()]
    if options.private_cases is not None and options.private_cases.is_dir():
        known += [path.stem for path in options.private_cases.glob("*.py")]
    for name in (*options.exercises, *options.regrade):
        if name not in known:
            raise CommandError(words.NO_EXERCISE.format(name=name, known=", ".join(known)))


def _found(paths: Sequence[Path], out: Path, options: Options) -> Found:
    try:
        return find(paths, out, identity(options.identity))
    except BadIdentity as error:
        raise CommandError(str(error)) from None


@dataclass
class _Entry:
    """A submission while it is graded: what is still open of it."""

    path: Path
    raw: bytes
    sha256: str
    plan: Plan | None
    open: set[str] = field(default_factory=set)


class _Grading:
    """One call of grade. Tasks are made as they are asked for, the looks first."""

    def __init__(
        self, book: Gradebook, found: Found, options: Options, paths: Sequence[Path]
    ) -> None:
        self.book, self.found, self.options = book, found, options
        self.entries: dict[int, _Entry] = {}
        self.tasks: deque[Task] = deque()
        self.again: deque[Task] = deque()
        self.left_out = dict(found.left_out)
        self.hidden = self._hidden(paths)
        self.new = self.done = self.count = 0
        self.bar = Bar()
        self._index_at, self._index_cost = time.monotonic(), 0.0

    def run(self, begun: float) -> int:
        """Grade, write everything down, and say how it went."""
        self.book.begin_run(self._noted())
        self.book.know_new(self._new_exercises())
        with self.book.together():
            self._queue_all()
        state = "done"
        try:
            if self.tasks:
                self._work()
        except KeyboardInterrupt:
            state = "stopped"
        self.bar.clear()
        self._write_all(state)
        if state == "stopped":
            text = words.STOPPED.format(done=self.done, count=self.count, folder=self.book.folder)
            self.bar.say(text)
            return INTERRUPTED
        self.book.end_run()
        return self._tell(time.monotonic() - begun)

    def _noted(self) -> dict[str, Any]:
        noted = {key: value for key, value in vars(self.options).items() if key != "seed"}
        return {
            key: str(value) if isinstance(value, Path) else value for key, value in noted.items()
        }

    def _hidden(self, paths: Sequence[Path]) -> list[str]:
        """What no learner's code may see: other submissions, results, solutions, private cases."""
        private = self.options.private_cases
        hidden = [*paths, self.book.folder, ROOT / "solutions", *([private] if private else [])]
        return [str(path.resolve()) for path in hidden if path.exists()]

    def _new_exercises(self) -> list[str]:
        """Exercises that the private cases define, by the names of their files."""
        folder = self.options.private_cases
        stems = {path.stem for path in folder.glob("*.py")} if folder else set()
        return sorted(stems - _points().keys())

    # what is to do

    def _queue_all(self) -> None:
        for handed in self.found.submissions:
            sha256 = digest(handed.path)
            number = self.book.hand_in(handed, sha256)
            entry = _Entry(handed.path, handed.raw, sha256, self.book.plan(number))
            self.entries[number] = entry
            if entry.plan is None:
                self._queue(number, {"do": "look"})
            else:
                self._queue_judgements(number, entry.plan)

    def _queue(self, number: int, task: Task) -> None:
        entry = self.entries[number]
        self.tasks.append({"submission": number, "path": os.fsdecode(entry.path), **task})

    def _wanted(self, plan: Plan) -> list[str]:
        """The exercises of a plan that are graded in this call."""
        only = self.options.regrade or self.options.exercises
        return [each for each in plan.exercises if not only or each in only]

    def _queue_judgements(self, number: int, plan: Plan) -> None:
        entry = self.entries[number]
        if plan.problem or not plan.exercises:
            return
        for exercise in self._wanted(plan):
            known = self.book.is_judged(number, exercise, entry.sha256)
            if known and exercise not in self.options.regrade:
                continue
            seed = seed_for(self.book.seed, entry.raw, exercise)
            self._queue(number, {"do": "judge", "exercise": exercise, "seed": seed})
            entry.open.add(exercise)
            self.count += 1
        if not entry.open:
            self._queue_notebooks(number)

    def _queue_notebooks(self, number: int) -> None:
        """Once every answer of a submission is judged, its code is run in the notebooks."""
        entry = self.entries[number]
        if not self.options.nbval or self.options.regrade or entry.plan is None:
            return
        lesson_of = {each.id: each.lesson for each in catalog.all_exercises()}
        for lesson in entry.plan.lessons:
            exercises = [e for e in self._wanted(entry.plan) if lesson_of.get(e) == lesson]
            if not exercises or self.book.has_run(number, lesson, entry.sha256):
                continue
            accepted = self._accepted(number, exercises)
            if not accepted:
                run = NotebookRun(lesson, "not run", words.NOTHING_TO_RUN, 0.0, None, entry.sha256)
                self.book.keep_notebook_run(number, run)
                continue
            task = {
                "do": "notebook",
                "lesson": lesson,
                "exercises": exercises,
                "accepted": accepted,
                "hidden": self.hidden,
                "seconds": NOTEBOOK_TASK_SECONDS,
            }
            self._queue(number, task)
            entry.open.add(f"notebook {lesson}")
            self.count += 1

    def _accepted(self, number: int, exercises: list[str]) -> list[str]:
        """Exercises whose answers may be run: the source of each was looked at and not refused."""
        rows = {row["exercise"]: row for row in self.book.judgements(number)}
        accepted = []
        for exercise in exercises:
            row = rows.get(exercise)
            if row is None or row["verdict"] == "could not be judged":
                continue
            if _source_is_fine(row["checks"]):
                accepted.append(exercise)
        return accepted

    # doing it

    def _work(self) -> None:
        jobs = self.options.jobs or _cores()
        settings = {
            "start": self.options.start,
            "sandbox": self.options.sandbox,
            "hidden": self.hidden,
            "private_cases": self.options.private_cases and str(self.options.private_cases),
        }
        with Pool(jobs, settings, self._started) as pool:
            pool.run(self._next, self._done, self._tick)

    def _started(self, protection: dict[str, Any]) -> None:
        self.book.protect_run(protection)
        text = words.UNPROTECTED if protection["name"] == "none" else words.PROTECTED
        self.bar.say(text.format(name=protection["name"]))

    def _next(self, is_alone: bool) -> Task | None:
        if self.tasks:
            return self.tasks.popleft()
        # What could not be judged is tried once more when nothing else disturbs it.
        return self.again.popleft() if self.again and is_alone else None

    def _done(self, task: Task, answer: Answer | None) -> None:
        number = task["submission"]
        if answer is None or (answer.get("judgement") or {}).get("again"):
            if not task.get("again"):
                self.again.append({**task, "again": True})
                return
        self.done += task["do"] != "look"
        {"look": self._looked, "judge": self._judged, "notebook": self._ran}[task["do"]](
            number, task, answer
        )

    def _looked(self, number: int, task: Task, answer: Answer | None) -> None:
        entry = self.entries[number]
        if answer is None:
            self._keep(number, self._unreadable(entry, words.UNKNOWN_EXERCISE, words.WORKER_DIED))
            return
        told = answer["plan"]
        plan = Plan(tuple(told["exercises"]), tuple(told["lessons"]), told["problem"])
        entry.plan = plan
        rows: list[Judgement] = []
        if plan.problem:
            wanted = self._wanted(plan) or [words.UNKNOWN_EXERCISE]
            rows = [self._unreadable(entry, each, plan.problem) for each in wanted]
        elif not plan.exercises and entry.path.suffix.lower() != ".py":
            rows = [self._without(entry, e) for e in self.options.exercises or [""]]
        self.book.keep_plan(number, plan, rows)
        self.new += len(rows)
        self._queue_judgements(number, plan)
        self._note_left_out(entry)

    def _note_left_out(self, entry: _Entry) -> None:
        """A Python file that is no answer lies beside answers; it gets no row."""
        plan = entry.plan
        if plan and not plan.exercises and not plan.problem and entry.path.suffix.lower() == ".py":
            self.left_out[plain(os.fsdecode(entry.raw))] = words.LEFT_NO_EXERCISE

    def _unreadable(self, entry: _Entry, exercise: str, why: str) -> Judgement:
        most = _points().get(exercise, 0)
        return Judgement(
            exercise, "could not be judged", None, most, 0.0, why, again=True, sha256=entry.sha256
        )

    def _without(self, entry: _Entry, exercise: str) -> Judgement:
        """A notebook in which nothing is found: its author has to hear that."""
        name, most = exercise or words.UNKNOWN_EXERCISE, _points().get(exercise, 0)
        text = words.NO_EXERCISE_INSIDE
        return Judgement(name, "failed", 0.0, most, 0.0, text, sha256=entry.sha256)

    def _judged(self, number: int, task: Task, answer: Answer | None) -> None:
        entry = self.entries[number]
        if answer is None:
            judgement = self._unreadable(entry, task["exercise"], words.WORKER_DIED)
            judgement = replace(judgement, seed=task["seed"])
        else:
            judgement = Judgement(**answer["judgement"])
        self._keep(number, judgement)
        entry.open.discard(task["exercise"])
        if not entry.open:
            self._queue_notebooks(number)
            if not entry.open:
                self._write_page(number)

    def _ran(self, number: int, task: Task, answer: Answer | None) -> None:
        entry = self.entries[number]
        if answer is not None:
            self.book.keep_notebook_run(number, NotebookRun(**answer["run"]))
        entry.open.discard(f"notebook {task['lesson']}")
        if not entry.open:
            self._write_page(number)

    def _keep(self, number: int, judgement: Judgement) -> None:
        self.book.keep(number, judgement)
        self.new += 1

    # what is written

    def _tick(self) -> None:
        self.bar.show(self.done, self.count)
        pause = max(INDEX_SECONDS, self._index_cost / INDEX_SHARE)
        if time.monotonic() - self._index_at > pause:
            self._write_tables("running")

    def _write_tables(self, state: str) -> None:
        begun = time.monotonic()
        folder = self.book.folder
        progress = Progress(self.done, self.count, state)
        files.write_whole(folder / files.TABLE, results.grades(self.book))
        files.write_whole(folder / files.INDEX, pages.index(self.book, self.left_out, progress))
        self._index_at = time.monotonic()
        self._index_cost = self._index_at - begun

    def _write_page(self, number: int) -> None:
        submission = self.book.submission(number)
        rows = self.book.judgements(number, with_report=True)
        runs = self.book.notebook_runs(number)
        folder = self.book.folder / files.SUBMISSIONS / files.folder_of(submission["raw"])
        files.write_whole(folder / files.FEEDBACK, pages.feedback(submission, rows, runs))
        files.write_whole(folder / files.RESULTS, [results.gradescope(rows, runs)])
        self.book.page_written(number, str(max(row["id"] for row in rows)))

    def _write_all(self, state: str) -> None:
        """Every page that does not say yet what the gradebook says, then the tables."""
        for submission in list(self.book.submissions()):
            folder = self.book.folder / files.SUBMISSIONS / files.folder_of(submission["raw"])
            if not submission["page"] or not (folder / files.RESULTS).exists():
                self._write_page(submission["id"])
        for entry in self.entries.values():
            self._note_left_out(entry)
        self._write_tables(state)

    def _tell(self, seconds: float) -> int:
        kinds: dict[str, int] = {}
        submissions = set()
        for row in self.book.all_judgements():
            kinds[row["verdict"]] = kinds.get(row["verdict"], 0) + 1
            submissions.add(row["submission"])
        unjudged = kinds.get("could not be judged", 0)
        index = self.book.folder / files.INDEX
        print(
            words.DONE.format(
                submissions=len(submissions),
                judgements=sum(kinds.values()),
                passed=kinds.get("passed", 0),
                failed=kinds.get("failed", 0),
                unjudged=unjudged,
                new=self.new,
                seconds=in_words(seconds),
            )
        )
        if self.left_out:
            print(words.LEFT_OUT.format(count=len(self.left_out)))
        if unjudged:
            print(words.UNJUDGED.format(count=unjudged, index=index))
        else:
            print(words.SEE.format(index=index))
        return NOT_JUDGED if unjudged else 0


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _points() -> dict[str, int]:
    return {each.id: each.points for each in catalog.all_exercises()}


def _source_is_fine(checks: str) -> bool:
    found = [check for check in json.loads(checks) if check["layer"] == "source"]
    return bool(found) and all(check["passed"] for check in found)
