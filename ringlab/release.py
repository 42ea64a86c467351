"""`./course release`: the course without its answers, and what grading services take.

What is released is named here, file by file or folder by folder, so that nothing goes along that
nobody thought of. Each edition is a folder and a zip of it, written whole or not at all, the same
bytes from the same course.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ringlab.words import cli as cli_words
from ringlab.words import release as words
from ringlab.work import ROOT, CommandError

AUDIENCES = ("learners", "nbgrader", "gradescope", "github")
_SINGLE = ("course", "LICENSE", "pyproject.toml", "constraints.txt", "environment.yml")
_FOLDERS = ("ringlab", "exercises")
_SKIPPED = ("__pycache__", ".ipynb_checkpoints")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can hold
_TEMPLATES = "classroom"
_WORK_IGNORED = (b"# learners' copies", b"work/")


@dataclass(frozen=True)
class Entry:
    """A file of an edition: what it holds, and whether it is a program."""

    data: bytes
    executable: bool = False


Edition = dict[str, Entry]


def release(
    out: Path,
    audience: str = "learners",
    chosen: Sequence[str] = (),
    private_cases: Path | None = None,
    root: Path = ROOT,
) -> str:
    """Write one edition into the new folder `out`; what was written, in a sentence.

    chosen: names or numbers of the lessons that are graded, for gradescope and github; all of them
    if empty. Raises CommandError.
    """
    out = Path(os.path.abspath(out))
    _refuse_out(out, root)
    _refuse_private(private_cases, audience, root)
    if chosen and audience not in ("gradescope", "github"):
        raise CommandError(words.NO_LESSON_CHOICE)
    _refuse_stale(root)
    try:
        edition = edition_for(audience, chosen, private_cases, root)
    except OSError as error:
        raise CommandError(
            words.UNREADABLE.format(path=error.filename, reason=error.strerror)
        ) from None
    name = _NAMES[audience]
    _write(out, name, edition, inside="" if audience == "gradescope" else name)
    size = sum(len(entry.data) for entry in edition.values())
    return words.WRITTEN.format(
        folder=out / name,
        archive=out / f"{name}.zip",
        count=len(edition),
        size=f"{size / 1e6:.1f} MB",
    )


_NAMES = {
    "learners": "ringlab-course",
    "nbgrader": "ringlab-nbgrader",
    "gradescope": "ringlab-autograder",
    "github": "ringlab-classroom",
}


def edition_for(
    audience: str,
    chosen: Sequence[str] = (),
    private_cases: Path | None = None,
    root: Path = ROOT,
) -> Edition:
    """The files of an edition by their path in it. Raises OSError and CommandError."""
    if audience == "nbgrader":
        return _nbgrader_source(root)
    edition = learners_edition(root)
    if audience == "github":
        from ringlab.classroom.github import workflow

        edition[".github/workflows/classroom.yml"] = Entry(workflow(_graded(root, chosen)).encode())
        # What learners hand in there is what they commit, and that lies in work/.
        edition[".gitignore"] = Entry(_without(edition[".gitignore"].data, _WORK_IGNORED))
    if audience == "gradescope":
        edition = {f"course/{path}": entry for path, entry in edition.items()}
        for path in ("setup.sh", "run_autograder"):
            edition[path] = _entry(root / _TEMPLATES / "gradescope" / path, executable=True)
        ids = "\n".join(exercise for exercise, _ in _graded(root, chosen))
        edition["exercises.txt"] = Entry(f"{ids}\n".encode())
        for path, entry in _tree(private_cases) if private_cases is not None else ():
            edition[f"private_cases/{path}"] = entry
    return edition


def learners_edition(root: Path = ROOT) -> Edition:
    """What a learner needs to open, write, run and check, and no answer."""
    edition = {name: _entry(root / name, executable=name == "course") for name in _SINGLE}
    edition[".gitignore"] = _entry(root / ".gitignore")
    edition["README.md"] = _entry(root / _TEMPLATES / "learners" / "README.md")
    for folder in _FOLDERS:
        for name, entry in _tree(root / folder):
            edition[f"{folder}/{name}"] = entry
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        edition[f"notebooks/{path.name}"] = _without_pointer(path)
    return edition


def _without_pointer(path: Path) -> Entry:
    """A notebook whose hints don't point to the worked answers, which are not there."""
    notebook = json.loads(path.read_text("utf-8"))
    pointer = cli_words.HINTS.format(hints="", notebook=path.name).strip()
    for cell in notebook["cells"]:
        if cell["metadata"].get("ringlab", {}).get("part") == "hints":
            text = "".join(cell["source"]).removesuffix(pointer).rstrip()
            cell["source"] = text.splitlines(keepends=True)
    return Entry((json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode())


def _nbgrader_source(root: Path) -> Edition:
    """A folder for nbgrader: one assignment a lesson, the answers between its markers."""
    edition = {
        "nbgrader_config.py": _entry(root / _TEMPLATES / "nbgrader" / "nbgrader_config.py"),
    }
    for path in sorted((root / "solutions").glob("*.ipynb")):
        if '"nbgrader"' in path.read_text("utf-8"):  # a lesson without exercises has no grades
            edition[f"source/{path.stem}/{path.name}"] = _without_pointer(path)
    return edition


def _graded(root: Path, chosen: Sequence[str]) -> list[tuple[str, int]]:
    """Exercises asked for in the lessons chosen, and their points, in the order of the lessons."""
    from ringlab.build.lesson import BuildError, lessons
    from ringlab.catalog import get

    try:
        found = lessons(root, chosen)
    except BuildError as error:
        raise CommandError(str(error)) from None
    asked = [(name, get(name).points) for lesson in found for name in lesson.exercises]
    if not asked:
        raise CommandError(
            words.NO_EXERCISES.format(lessons=", ".join(lesson.name for lesson in found))
        )
    return asked


# What is read


def _tree(folder: Path) -> Iterator[tuple[str, Entry]]:
    """The plain files of a folder. Caches, hidden files, links and part files are left out."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED and not name.startswith(".")
        )
        for name in sorted(names):
            path = Path(place) / name
            if name.startswith(".") or path.suffix == ".pyc" or path.is_symlink():
                continue
            yield path.relative_to(folder).as_posix(), _entry(path)


def _entry(path: Path, executable: bool = False) -> Entry:
    return Entry(path.read_bytes(), executable)


def _without(text: bytes, lines: tuple[bytes, ...]) -> bytes:
    kept = (each for each in text.splitlines(keepends=True) if each.strip() not in lines)
    return b"".join(kept)


# What is refused


def _refuse_out(out: Path, root: Path) -> None:
    if out.is_dir():
        try:
            empty = not any(out.iterdir())
        except OSError as error:
            raise CommandError(words.OUT_FAILED.format(out=out, reason=error.strerror)) from None
        if not empty:
            raise CommandError(words.OUT_EXISTS.format(out=out))
    elif out.exists() or out.is_symlink():
        raise CommandError(words.OUT_IS_FILE.format(out=out))
    if out.resolve().is_relative_to(root.resolve()):
        raise CommandError(words.OUT_INSIDE.format(out=out))


def _refuse_private(folder: Path | None, audience: str, root: Path) -> None:
    if folder is None:
        return
    if not folder.is_dir():
        raise CommandError(words.PRIVATE_MISSING.format(folder=folder))
    place = folder.resolve()
    for name in (*_FOLDERS, "notebooks"):
        if place.is_relative_to((root / name).resolve()):
            raise CommandError(words.PRIVATE_INSIDE.format(folder=folder))
    if audience != "gradescope":
        raise CommandError(words.PRIVATE_NOT_FOR.format(audience=audience))


def _refuse_stale(root: Path) -> None:
    """An answer left in notebooks/ or exercises/ is a difference from what would be built."""
    from ringlab.build import BuildError
    from ringlab.build.compare import differences

    try:
        found, _ = differences(root)
    except BuildError as error:
        found = [str(error)]
    if found:
        raise CommandError(words.STALE.format(first=found[0]))


# What is written


def _write(out: Path, name: str, edition: Edition, inside: str) -> None:
    """The folder and the zip, in a folder beside `out` that takes its name when it is whole."""
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        try:
            part.mkdir(parents=True)
            for path, entry in sorted(edition.items()):
                _write_file(part / name / path, entry)
            _write_zip(part / f"{name}.zip", edition, inside)
            if out.is_dir():
                out.rmdir()
            os.replace(part, out)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.errno == errno.ENOTEMPTY:
            raise CommandError(words.OUT_EXISTS.format(out=out)) from None
        raise CommandError(words.OUT_FAILED.format(out=out, reason=reason)) from None


def _write_file(path: Path, entry: Entry) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(entry.data)
    if entry.executable:
        path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _write_zip(path: Path, edition: Edition, inside: str) -> None:
    """Stored, not packed: what a packed zip looks like depends on the library that packs it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, entry in sorted(edition.items()):
            info = zipfile.ZipInfo(f"{inside}/{name}" if inside else name, _LONG_AGO)
            info.create_system = 3  # Unix, whatever machine writes it: it keeps permissions
            info.external_attr = (stat.S_IFREG | (0o755 if entry.executable else 0o644)) << 16
            archive.writestr(info, entry.data)
