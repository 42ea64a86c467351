"""The gradebook: one SQLite file, written by one process, whole after any kill.

Each judgement is one transaction. SQLite's rollback journal undoes a half-written one when the file
is opened next, also on network folders, where a write-ahead log can't be used.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ringlab
from ringlab.gradebook.discover import Handed, Plan
from ringlab.words import gradebook as words

FILE = "gradebook.sqlite"
LOCK = ".lock"
SCHEMA = 1
APPLICATION = 0x52494E47  # "RING"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    started REAL NOT NULL,
    ended REAL,
    protection TEXT,
    options TEXT NOT NULL
);
CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    raw BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    who TEXT NOT NULL,
    path BLOB NOT NULL,
    sha256 TEXT NOT NULL,
    plan TEXT,
    page TEXT NOT NULL DEFAULT '',
    run INTEGER NOT NULL REFERENCES runs
);
CREATE TABLE judgements (
    id INTEGER PRIMARY KEY,
    submission INTEGER NOT NULL REFERENCES submissions,
    exercise TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    seed INTEGER,
    verdict TEXT NOT NULL,
    points REAL,
    max_points REAL NOT NULL,
    seconds REAL NOT NULL,
    message TEXT NOT NULL,
    private TEXT NOT NULL DEFAULT '',
    checks TEXT NOT NULL,
    report BLOB,
    again INTEGER NOT NULL,
    finished REAL NOT NULL,
    run INTEGER NOT NULL REFERENCES runs,
    current INTEGER NOT NULL
);
CREATE UNIQUE INDEX one_judgement ON judgements (submission, exercise) WHERE current;
CREATE TABLE notebook_runs (
    id INTEGER PRIMARY KEY,
    submission INTEGER NOT NULL REFERENCES submissions,
    lesson INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    outcome TEXT NOT NULL,
    cell INTEGER,
    message TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished REAL NOT NULL,
    run INTEGER NOT NULL REFERENCES runs,
    current INTEGER NOT NULL
);
CREATE UNIQUE INDEX one_notebook_run ON notebook_runs (submission, lesson) WHERE current;
"""


class GradebookError(Exception):
    """A gradebook that can't be used; the message is one sentence that says what to do."""


@dataclass(frozen=True)
class Judgement:
    """One row: an answer, its verdict, and all that is said about it.

    points is None if it could not be judged. message: the first thing that is wrong, one line.
    private: what an instructor alone may read. report: an HTML fragment for its author. again:
    whether grading once more may end otherwise.
    """

    exercise: str
    verdict: str
    points: float | None
    max_points: float
    seconds: float
    message: str
    private: str = ""
    checks: str = "[]"
    report: str = ""
    again: bool = False
    seed: int | None = None
    sha256: str = ""


@dataclass(frozen=True)
class NotebookRun:
    """How the learner's code did in the pristine notebook of a lesson.

    outcome: "runs", "stops" (at `cell`, counted from 1), or "not run".
    """

    lesson: int
    outcome: str
    message: str
    seconds: float
    cell: int | None = None
    sha256: str = ""


class Gradebook:
    """The open gradebook of one folder. Use it in a `with` block; one process at a time.

    seed: of the class, for a new gradebook; drawn if None. Raises GradebookError.
    """

    def __init__(self, folder: Path, seed: int | None = None) -> None:
        self.folder = folder
        self._lock = _locked(folder)
        try:
            self._db = _opened(folder, seed)
        except BaseException:
            self._lock.close()
            raise
        self._is_open = False
        self.seed = int(self.meta("seed"))
        self.run = 0
        if seed is not None and seed != self.seed:
            self.close()
            text = words.OTHER_SEED.format(folder=folder, seed=self.seed, given=seed)
            raise GradebookError(text)

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file and of the folder."""
        self._db.close()
        self._lock.close()

    def meta(self, key: str) -> str:
        """A value that belongs to the gradebook as a whole; "" if there is none."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row["value"]) if row else ""

    def begin_run(self, options: dict[str, Any]) -> None:
        """Note that a call of grade begins; what is written from now on belongs to it."""
        with self._writing() as db:
            text = json.dumps(options)
            done = db.execute("INSERT INTO runs (started, options) VALUES (?, ?)", (_now(), text))
            self.run = int(done.lastrowid or 0)

    def protect_run(self, protection: dict[str, Any]) -> None:
        """Note which protection is in force."""
        with self._writing() as db:
            text = json.dumps(protection)
            db.execute("UPDATE runs SET protection = ? WHERE id = ?", (text, self.run))

    def end_run(self) -> None:
        """Note that this call of grade came to its end."""
        with self._writing() as db:
            db.execute("UPDATE runs SET ended = ? WHERE id = ?", (_now(), self.run))

    def know_new(self, exercises: list[str]) -> None:
        """Note which exercises are known beside the course's; with others, every file may hold
        something else than was planned.
        """
        text = json.dumps(exercises)
        if text == (self.meta("new_exercises") or "[]"):
            return
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('new_exercises', ?)", (text,))
            db.execute("UPDATE submissions SET plan = NULL")

    def runs(self) -> list[dict[str, Any]]:
        """Every call of grade, the last one last."""
        return [dict(row) for row in self._db.execute("SELECT * FROM runs ORDER BY id")]

    # submissions

    def hand_in(self, handed: Handed, sha256: str) -> int:
        """The number of a submission. One whose content has changed loses what is known of it."""
        with self._writing() as db:
            row = db.execute(
                "SELECT id, sha256, who FROM submissions WHERE raw = ?", (handed.raw,)
            ).fetchone()
            path = os.fsencode(handed.path)
            if row is None:
                done = db.execute(
                    "INSERT INTO submissions (raw, name, who, path, sha256, run)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (handed.raw, handed.name, handed.who, path, sha256, self.run),
                )
                return int(done.lastrowid or 0)
            number = int(row["id"])
            db.execute(
                "UPDATE submissions SET who = ?, path = ?, run = ? WHERE id = ?",
                (handed.who, path, self.run, number),
            )
            if row["who"] != handed.who:
                db.execute("UPDATE submissions SET page = '' WHERE id = ?", (number,))
            # What could not be read may be readable now, and has no hash to tell by.
            if row["sha256"] != sha256 or not sha256:
                db.execute(
                    "UPDATE submissions SET sha256 = ?, plan = NULL, page = '' WHERE id = ?",
                    (sha256, number),
                )
                for table in ("judgements", "notebook_runs"):
                    db.execute(
                        f"UPDATE {table} SET current = 0 WHERE submission = ? AND current",
                        (number,),
                    )
            return number

    def plan(self, number: int) -> Plan | None:
        """What a submission is expected to hold; None if nobody has looked yet."""
        row = self._db.execute("SELECT plan FROM submissions WHERE id = ?", (number,)).fetchone()
        if row is None or row["plan"] is None:
            return None
        kept = json.loads(row["plan"])
        return Plan(tuple(kept["exercises"]), tuple(kept["lessons"]), kept["problem"])

    def keep_plan(self, number: int, plan: Plan, judgements: Sequence[Judgement] = ()) -> None:
        """Keep what a submission is expected to hold, and what can be said of it at once.

        Judgements of exercises that it is no longer expected to hold go into the history.
        """
        text = json.dumps(
            {"exercises": plan.exercises, "lessons": plan.lessons, "problem": plan.problem}
        )
        marks = ", ".join("?" * len(plan.exercises))
        with self._writing() as db:
            db.execute("UPDATE submissions SET plan = ? WHERE id = ?", (text, number))
            db.execute(
                "UPDATE judgements SET current = 0 WHERE submission = ? AND current"
                f" AND exercise NOT IN ({marks})",
                (number, *plan.exercises),
            )
            for judgement in judgements:
                self._insert(db, number, judgement)

    def submission(self, number: int) -> dict[str, Any]:
        """One submission."""
        row = self._db.execute("SELECT * FROM submissions WHERE id = ?", (number,)).fetchone()
        return dict(row)

    def submissions(self) -> Iterator[dict[str, Any]]:
        """Every submission that holds a judgement, by name."""
        yield from map(
            dict,
            self._db.execute(
                "SELECT * FROM submissions WHERE id IN"
                " (SELECT submission FROM judgements WHERE current) ORDER BY raw"
            ),
        )

    # judgements

    def keep(self, number: int, judgement: Judgement) -> None:
        """Write a judgement; the one before it, if any, goes into the history."""
        with self._writing() as db:
            self._insert(db, number, judgement)

    def _insert(self, db: sqlite3.Connection, number: int, judgement: Judgement) -> None:
        db.execute(
            "UPDATE judgements SET current = 0 WHERE submission = ? AND exercise = ? AND current",
            (number, judgement.exercise),
        )
        values = {
            **asdict(judgement),
            "submission": number,
            "report": zlib.compress(judgement.report.encode("utf-8", "backslashreplace")),
            "finished": _now(),
            "run": self.run,
            "current": True,
        }
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        db.execute(f"INSERT INTO judgements ({names}) VALUES ({marks})", values)
        db.execute("UPDATE submissions SET page = '' WHERE id = ?", (number,))

    def is_judged(self, number: int, exercise: str, sha256: str) -> bool:
        """Whether this very content has its judgement, one that would not end otherwise."""
        row = self._db.execute(
            "SELECT sha256, again FROM judgements"
            " WHERE submission = ? AND exercise = ? AND current",
            (number, exercise),
        ).fetchone()
        return row is not None and row["sha256"] == sha256 and not row["again"]

    def judgements(self, number: int, with_report: bool = False) -> list[dict[str, Any]]:
        """The current judgements of a submission, in the order in which they were planned."""
        columns = "*" if with_report else _WITHOUT_REPORT
        rows = self._db.execute(
            f"SELECT {columns} FROM judgements WHERE submission = ? AND current", (number,)
        ).fetchall()
        found = [dict(row) for row in rows]
        for row in found:
            if with_report:
                row["report"] = zlib.decompress(row["report"]).decode()
        planned = self.plan(number)
        order = list(planned.exercises) if planned else []
        return sorted(
            found, key=lambda row: order.index(row["exercise"]) if row["exercise"] in order else 99
        )

    def all_judgements(self) -> Iterator[dict[str, Any]]:
        """Every current judgement with its submission, by name and exercise."""
        columns = ", ".join(f"judgements.{name}" for name in _WITHOUT_REPORT.split(", "))
        yield from map(
            dict,
            self._db.execute(
                f"SELECT {columns}, submissions.name, submissions.who, submissions.path,"
                " submissions.raw"
                " FROM judgements JOIN submissions ON submissions.id = judgements.submission"
                " WHERE judgements.current ORDER BY submissions.raw, judgements.id"
            ),
        )

    def history(self, number: int, exercise: str) -> list[dict[str, Any]]:
        """Judgements that a later one has replaced, the oldest first."""
        rows = self._db.execute(
            f"SELECT {_WITHOUT_REPORT} FROM judgements"
            " WHERE submission = ? AND exercise = ? AND NOT current ORDER BY id",
            (number, exercise),
        )
        return [dict(row) for row in rows]

    # notebook runs

    def keep_notebook_run(self, number: int, run: NotebookRun) -> None:
        """Write how a notebook ran."""
        with self._writing() as db:
            db.execute(
                "UPDATE notebook_runs SET current = 0"
                " WHERE submission = ? AND lesson = ? AND current",
                (number, run.lesson),
            )
            values = {
                **asdict(run),
                "submission": number,
                "finished": _now(),
                "run": self.run,
                "current": True,
            }
            names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
            db.execute(f"INSERT INTO notebook_runs ({names}) VALUES ({marks})", values)
            db.execute("UPDATE submissions SET page = '' WHERE id = ?", (number,))

    def notebook_runs(self, number: int) -> list[dict[str, Any]]:
        """The current notebook runs of a submission, by lesson."""
        rows = self._db.execute(
            "SELECT * FROM notebook_runs WHERE submission = ? AND current ORDER BY lesson",
            (number,),
        )
        return [dict(row) for row in rows]

    def ran_notebooks(self) -> bool:
        """Whether any submission has been run in a notebook."""
        return self._db.execute("SELECT 1 FROM notebook_runs LIMIT 1").fetchone() is not None

    def has_run(self, number: int, lesson: int, sha256: str) -> bool:
        """Whether this very content has been run in the lesson's notebook."""
        row = self._db.execute(
            "SELECT sha256 FROM notebook_runs WHERE submission = ? AND lesson = ? AND current",
            (number, lesson),
        ).fetchone()
        return row is not None and row["sha256"] == sha256

    # pages

    def page_written(self, number: int, stamp: str) -> None:
        """Note that the submission's page says what the gradebook says now."""
        with self._writing() as db:
            db.execute("UPDATE submissions SET page = ? WHERE id = ?", (stamp, number))

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Everything that is written inside becomes one transaction: it is there, or nothing is."""
        with self._writing():
            self._is_open = True
            try:
                yield
            finally:
                self._is_open = False

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._is_open:
            yield self._db
            return
        try:
            with self._db:
                yield self._db
        except sqlite3.OperationalError as error:
            reason = str(error)
            text = words.CANT_WRITE.format(folder=self.folder, reason=reason)
            raise GradebookError(text) from None


_WITHOUT_REPORT = (
    "id, submission, exercise, sha256, seed, verdict, points, max_points, seconds, message, "
    "private, checks, again, finished, run"
)


def _now() -> float:
    return round(time.time(), 3)


def _locked(folder: Path) -> Any:
    """An open file that holds the folder's lock; the system lets go of it when the process ends."""
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_foreign(folder)
        lock = open(folder / LOCK, "a+")  # noqa: SIM115
    except OSError as error:
        reason = error.strerror or str(error)
        raise GradebookError(words.CANT_WRITE.format(folder=folder, reason=reason)) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise GradebookError(words.LOCKED.format(folder=folder)) from None
    return lock


def _refuse_foreign(folder: Path) -> None:
    if (folder / FILE).exists() or (folder / LOCK).exists():
        return
    strangers = sorted(entry.name for entry in folder.iterdir())
    if strangers:
        raise GradebookError(words.FOREIGN.format(folder=folder, file=strangers[0]))


def _opened(folder: Path, seed: int | None) -> sqlite3.Connection:
    path = folder / FILE
    try:
        db = sqlite3.connect(path, timeout=30.0)
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA synchronous = FULL")
        tables = db.execute("SELECT count(*) AS count FROM sqlite_master").fetchone()["count"]
        if not tables:
            _made(db, seed)
        elif db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise GradebookError(words.NO_GRADEBOOK.format(file=path))
        else:
            kept = dict(db.execute("SELECT key, value FROM meta").fetchall())
            own = {"schema": str(SCHEMA), "course": ringlab.__version__}
            if {key: kept.get(key) for key in own} != own:
                text = words.OTHER_VERSION.format(
                    folder=folder, theirs=kept.get("course"), ours=ringlab.__version__
                )
                raise GradebookError(text)
        return db
    except sqlite3.OperationalError as error:
        raise GradebookError(words.CANT_WRITE.format(folder=folder, reason=error)) from None
    except sqlite3.DatabaseError:
        raise GradebookError(words.NO_GRADEBOOK.format(file=path)) from None


def _made(db: sqlite3.Connection, seed: int | None) -> None:
    """All of the empty gradebook in one transaction: it is there, or it is not."""
    values = {
        "schema": str(SCHEMA),
        "course": ringlab.__version__,
        "seed": str(secrets.randbits(48) if seed is None else seed),
    }
    rows = ", ".join(f"('{key}', '{value}')" for key, value in values.items())
    db.executescript(
        f"BEGIN; PRAGMA application_id = {APPLICATION}; {_TABLES}"
        f"INSERT INTO meta VALUES {rows}; COMMIT;"
    )
