"""What was handed in: the files under some paths, whose they are, what they are to hold."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ringlab import catalog
from ringlab.grading.submission import (
    NoAnswer,
    Submission,
    UnreadableSubmission,
    answer_in,
    read_submission,
)
from ringlab.plain import plain
from ringlab.words import gradebook as words

SUFFIXES = (".ipynb", ".py")
# What operating systems, editors and version control put beside a learner's files.
_SKIPPED_FOLDERS = frozenset({"__pycache__", "__MACOSX", "site-packages", "node_modules"})
NAME_LIMIT = 300


@dataclass(frozen=True)
class Handed:
    """One submission: a file, its path relative to what was given, and whose it is.

    name  the relative path, made plain; raw  the same as the file system has it
    """

    path: Path
    raw: bytes
    who: str

    @property
    def name(self) -> str:
        return plain(os.fsdecode(self.raw), NAME_LIMIT)


@dataclass
class Found:
    """The submissions under the given paths, and what was left out, by relative path."""

    submissions: list[Handed] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def find(paths: Sequence[Path], out: Path, identify: Callable[[str], str]) -> Found:
    """Every notebook and Python file under `paths`, in the order of their names.

    Links are not followed; checkpoints, hidden folders, virtual environments and `out` are left
    out. A path that is a file counts whatever it is called. Raises FileNotFoundError.
    """
    found = Found()
    base = _base(paths)
    seen: set[Path] = set()
    for given in paths:
        top = given.resolve(strict=True)
        for path in _files(top, out, found, base) if top.is_dir() else [top]:
            if path in seen:
                continue
            seen.add(path)
            relative = os.path.relpath(path, base)
            who = plain(identify(relative.replace(os.sep, "/")), 100)
            found.submissions.append(Handed(path, os.fsencode(relative), who))
    return found


def _base(paths: Sequence[Path]) -> Path:
    """What submissions are named relative to: the path itself, or what all paths lie in."""
    tops = [path.resolve(strict=True) for path in paths]
    if len(tops) == 1 and tops[0].is_dir():
        return tops[0]
    return Path(os.path.commonpath([top.parent for top in tops]))


def _files(folder: Path, out: Path, found: Found, base: Path) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        _leave_out(found, folder, base, words.LEFT_UNREADABLE.format(reason=error.strerror))
        return
    if any(entry.name == "pyvenv.cfg" for entry in entries):
        return
    for entry in entries:
        path = folder / entry.name
        if entry.is_symlink():
            _leave_out(found, path, base, words.LEFT_LINK)
        elif entry.is_dir():
            hidden = entry.name.startswith(".") or entry.name in _SKIPPED_FOLDERS
            if not hidden and path != out:
                yield from _files(path, out, found, base)
        elif entry.name.startswith(("._", ".DS_Store")):
            continue
        elif path.suffix.lower() not in SUFFIXES or not entry.is_file():
            _leave_out(found, path, base, words.LEFT_OTHER_KIND)
        else:
            yield path


def _leave_out(found: Found, path: Path, base: Path, why: str) -> None:
    found.left_out[plain(os.path.relpath(path, base), NAME_LIMIT)] = why


# Whose it is

PRESETS = {
    "folder": r"(?P<who>[^/]+)/.+",
    "canvas": r"(?:.*/)?(?P<who>[^/_]+)_(?:LATE_)?\d+_\d+_[^/]+",
    "moodle": r"(?:.*/)?(?P<who>[^/_]+)_\d+_assignsubmission_(?:file|onlinetext)(?:_[^/]*)?/?.*",
    "file": r"(?:.*/)?(?P<who>[^/]+?)(?:\.[^./]*)?",
}
_AUTO = ("moodle", "canvas", "folder", "file")


class BadIdentity(Exception):
    """A pattern that can't be used; one sentence."""


def identity(pattern: str) -> Callable[[str], str]:
    """From a submission's relative path to whose it is; "" where the pattern doesn't fit.

    pattern: "auto", a name in `PRESETS`, or a regular expression with a group `who` that is looked
    for anywhere in the path. Raises BadIdentity.
    """
    if pattern == "auto":
        return _first_of([re.compile(PRESETS[name], re.DOTALL).fullmatch for name in _AUTO])
    if pattern in PRESETS:
        return _first_of([re.compile(PRESETS[pattern], re.DOTALL).fullmatch])
    try:
        own = re.compile(pattern)
    except re.error as error:
        raise BadIdentity(words.BAD_PATTERN.format(pattern=pattern, reason=error)) from None
    if "who" not in own.groupindex:
        known = ", ".join(["auto", *PRESETS])
        raise BadIdentity(words.NO_WHO.format(pattern=pattern, known=known))
    return _first_of([own.search])


def _first_of(matchers: Sequence[Callable[[str], re.Match[str] | None]]) -> Callable[[str], str]:
    def who(path: str) -> str:
        for matcher in matchers:
            match = matcher(path)
            if match and match["who"]:
                return match["who"]
        return ""

    return who


# What it is to hold


@dataclass(frozen=True)
class Plan:
    """Which exercises a submission is judged in, and the lessons they are from.

    problem: why nothing in it can be judged, in one sentence; "" if it can be read.
    """

    exercises: tuple[str, ...] = ()
    lessons: tuple[int, ...] = ()
    problem: str = ""


def plan(path: Path, new_exercises: Sequence[str] = ()) -> Plan:
    """What a submission is expected to hold.

    A lesson's notebook, known by its metadata or its name, holds all exercises of that lesson. To
    these come exercises whose cells are still marked, and those that it defines; a definition
    inside the cell of another exercise is that cell's helper. A Python file that is called like an
    exercise holds that one, any other the ones that it defines.

    new_exercises: ids that are not in the catalog.
    """
    lesson_of = {each.id: each.lesson for each in catalog.all_exercises()}
    known = [*lesson_of, *new_exercises]
    named = [each for each in known if _is_named(path.stem, each)]
    stems = [path.stem] if path.suffix.lower() == ".ipynb" else []
    lesson = next((number for stem in stems if (number := _lesson_named(stem)) is not None), None)
    try:
        submission = read_submission(path)
    except UnreadableSubmission as error:
        expected = [each for each in known if each in named or lesson_of.get(each, -1) == lesson]
        if path.suffix.lower() == ".py" and not expected and _is_empty(path):
            return Plan()  # packages have empty files in them, which are nobody's answer
        return Plan(tuple(expected), (), str(error))
    if path.suffix.lower() == ".py" and named:
        expected = named[:1]
    else:
        lesson = submission.lesson if submission.lesson is not None else lesson
        expected = _expected(submission, known, lesson_of, lesson)
    lessons = {lesson_of[each] for each in expected if each in lesson_of}
    return Plan(tuple(expected), tuple(sorted(lessons)))


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return False


def _is_named(stem: str, exercise: str) -> bool:
    """Whether a file is called after an exercise, an LMS's marks before and behind it."""
    return re.fullmatch(rf"(?:.*[^A-Za-z0-9])?{exercise}(?:[ _-]*\(?\d+\)?)?", stem) is not None


def _lesson_named(stem: str) -> int | None:
    for path in sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb")):
        if path.stem in stem:
            return int(path.stem[:2])
    return None


def _expected(
    submission: Submission, known: Sequence[str], lesson_of: dict[str, int], lesson: int | None
) -> list[str]:
    defined: dict[str, int] = {}
    for exercise in known:
        try:
            defined[exercise] = answer_in(submission, exercise).cell_index
        except NoAnswer:
            continue
    own = {
        each
        for each in known
        if each in submission.marked or (lesson is not None and lesson_of.get(each) == lesson)
    }
    answer_cells = {cell for each, cell in defined.items() if each in own}
    others = {each for each, cell in defined.items() if cell not in answer_cells}
    return [each for each in known if each in own | others]


# What is in it now


def digest(path: Path) -> str:
    """SHA-256 of a regular file, in hexadecimal; "" for what can't be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return ""
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""
