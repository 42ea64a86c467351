"""The course's commands. `./course NAME` runs this module inside the course's environment."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ringlab.release import AUDIENCES, release
from ringlab.words import cli as words
from ringlab.words import gradebook as grade_words
from ringlab.words import release as release_words
from ringlab.work import (
    CommandError,
    answers,
    bring,
    bring_lessons,
    lesson_copies,
    reset,
    shown,
    work_folder,
)

ROOT = Path(__file__).resolve().parent.parent
NOT_JUDGED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    options, rest = _parse(sys.argv[1:] if arguments is None else list(arguments))
    command: Callable[[argparse.Namespace, list[str]], int] = options.command
    try:
        return command(options, rest)
    except CommandError as error:
        print(error, file=sys.stderr)
        return error.status
    except BrokenPipeError:
        # Whoever read the output has left. Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="./course", description=words.DESCRIPTION)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, run: Callable[..., int], text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(command=run, passes_on=False)
        return command

    lab = add("lab", _lab, words.HELP_LAB)
    lab.epilog = words.JUPYTER_ARGUMENTS
    lab.add_argument("--no-browser", action="store_true", help=words.NO_BROWSER)
    lab.add_argument("--port", type=int, help=words.PORT)
    lab.set_defaults(passes_on=True)

    test = add("test", _test, words.HELP_TEST)
    test.add_argument("--full", action="store_true", help=words.FULL)

    check = add("check", _check, words.HELP_CHECK)
    check.add_argument("exercise", metavar="ID")
    check.add_argument("files", metavar="FILE", nargs="*", type=Path)
    check.add_argument("--json", action="store_true", help=words.JSON_LINES)
    check.add_argument("--seed", type=int, help=words.SEED)
    check.add_argument(
        "--private-cases", metavar="FOLDER", type=Path, help=grade_words.PRIVATE_CASES
    )

    grade = add("grade", _grade, grade_words.HELP_GRADE)
    grade.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=grade_words.PATHS)
    grade.add_argument("--out", metavar="DIR", type=Path, required=True, help=grade_words.OUT)
    grade.add_argument("--jobs", metavar="N", type=int, default=0, help=grade_words.JOBS)
    grade.add_argument("--no-nbval", action="store_true", help=grade_words.NO_NBVAL)
    grade.add_argument("--seed", metavar="S", type=int, help=grade_words.SEED)
    grade.add_argument(
        "--sandbox", choices=("auto", "require", "off"), default="auto", help=grade_words.SANDBOX
    )
    grade.add_argument(
        "--start", choices=("auto", "fork", "spawn"), default="auto", help=grade_words.START
    )
    grade.add_argument(
        "--private-cases", metavar="FOLDER", type=Path, help=grade_words.PRIVATE_CASES
    )
    grade.add_argument("--identity", metavar="PATTERN", default="auto", help=grade_words.IDENTITY)
    for option, text in (("--exercise", grade_words.EXERCISE), ("--regrade", grade_words.REGRADE)):
        grade.add_argument(option, metavar="ID", action="append", default=[], help=text)

    reset = add("reset", _reset, words.HELP_RESET)
    reset.add_argument("lesson", metavar="LESSON", help=words.LESSON_ARGUMENT)

    exercise = add("exercise", _exercise, words.HELP_EXERCISE)
    exercise.add_argument("exercise", metavar="ID")

    build = add("build", _build, words.HELP_BUILD)
    build.add_argument("lessons", metavar="LESSON", nargs="*", help=words.LESSON_ARGUMENT)
    build.add_argument("--check", action="store_true", help=words.CHECK_ONLY)
    build.add_argument("--no-execute", action="store_true", help=words.NO_EXECUTE)

    released = add("release", _release, release_words.HELP_RELEASE)
    released.add_argument("--out", metavar="DIR", type=Path, required=True, help=release_words.OUT)
    released.add_argument(
        "--for",
        dest="audience",
        choices=AUDIENCES,
        default=AUDIENCES[0],
        help=release_words.AUDIENCE,
    )
    released.add_argument(
        "--lesson", metavar="LESSON", action="append", default=[], help=release_words.LESSON
    )
    released.add_argument(
        "--private-cases", metavar="FOLDER", type=Path, help=release_words.PRIVATE_CASES
    )

    bench = add("bench", _bench, words.HELP_BENCH)
    bench.set_defaults(passes_on=True)

    doctor = add("doctor", _doctor, words.HELP_DOCTOR)
    doctor.add_argument("--json", action="store_true", help=words.JSON_DOCTOR)

    options, rest = parser.parse_known_args(arguments or ["--help"])
    if rest and not options.passes_on:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return options, rest


# lab and the learner's copies


def _lab(options: argparse.Namespace, rest: list[str]) -> int:
    copied = bring_lessons()
    if copied:
        print(words.COPIED.format(names=", ".join(path.name for path in copied)), flush=True)
    first = lesson_copies()[0]
    command = [
        sys.executable,
        *("-m", "jupyterlab"),
        "--Application.log_level=WARN",  # what is left says where it serves
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{first.relative_to(ROOT).as_posix()}",
    ]
    if options.port is not None:
        _refuse_taken(options.port)
        command.append("--ServerApp.port_retries=0")
    port = free_port() if options.port is None else options.port
    command.append(f"--ServerApp.port={port}")
    command.append("--ServerApp.answer_yes=True")  # one Ctrl-C ends it, without a question
    if options.no_browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # Jupyter refuses root; a container often has no one else
    _quiet_first_start()
    environment = dict(os.environ, PYTHONPATH=_with_root(os.environ.get("PYTHONPATH")))
    print(words.SERVING.format(port=port, folder=shown(work_folder())), flush=True)
    if os.name != "nt":
        os.chdir(ROOT)
        os.execve(command[0], [*command, *rest], environment)
    return subprocess.run([*command, *rest], cwd=ROOT, env=environment).returncode


def _with_root(path: str | None) -> str:
    return os.pathsep.join(filter(None, [str(ROOT), path]))


def free_port(first: int = 8888) -> int:
    """The first free one of fifty from `first`, else any."""
    for port in [*range(first, first + 50), 0]:
        with contextlib.suppress(OSError), socket.socket() as probe:
            _reuse(probe)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    return first


def _reuse(probe: socket.socket) -> None:
    if os.name != "nt":  # there it would let two programs have one port
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def _refuse_taken(port: int) -> None:
    if not 0 < port < 65536:
        raise CommandError(words.BAD_PORT.format(port=port))
    try:
        with socket.socket() as probe:
            _reuse(probe)
            probe.bind(("127.0.0.1", port))
    except OSError:
        raise CommandError(words.PORT_TAKEN.format(port=port)) from None


def _quiet_first_start() -> None:
    """No question about news in the first minute. A learner's own settings still win."""
    if Path(sys.prefix) != ROOT / ".venv":
        return
    settings = Path(sys.prefix) / "share/jupyter/lab/settings/overrides.json"
    notification = {"fetchNews": "false", "checkForUpdates": False}
    text = json.dumps({"@jupyterlab/apputils-extension:notification": notification})
    with contextlib.suppress(OSError):
        if not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(text)


def _reset(options: argparse.Namespace, rest: list[str]) -> int:
    for line in reset(options.lesson):
        print(line)
    return 0


def _exercise(options: argparse.Namespace, rest: list[str]) -> int:
    source = ROOT / "exercises" / f"{options.exercise}.py"
    _refuse_unknown(options.exercise)
    copied = bring(source, ROOT)
    target = shown(work_folder() / source.name)
    print(words.COPIED.format(names=target) if copied else words.ALREADY_THERE.format(path=target))
    return 0


def _refuse_unknown(exercise: str) -> None:
    known = sorted(path.stem for path in (ROOT / "exercises").glob("*.py"))
    if exercise not in known:
        sentence = words.NO_EXERCISE.format(name=exercise, known=", ".join(known))
        raise CommandError(sentence, NOT_JUDGED)


# check


def _check(options: argparse.Namespace, rest: list[str]) -> int:
    private: Path | None = options.private_cases
    if private is None or not (private / f"{options.exercise}.py").is_file():
        _refuse_unknown(options.exercise)
    files = list(options.files)
    if not files:
        found = answers(options.exercise)
        if not found:
            sentence = words.NO_ANSWER_YET.format(exercise=options.exercise)
            raise CommandError(sentence, NOT_JUDGED)
        if not options.json:
            _say_which(options.exercise, found)
        files = [found[0][0]]
    from ringlab.catalog.private import BadPrivateCases
    from ringlab.grading.command import check_files

    try:
        return check_files(
            options.exercise, files, options.json, seed=options.seed, private_cases=private
        )
    except BadPrivateCases as error:
        raise CommandError(str(error), NOT_JUDGED) from None


def _say_which(exercise: str, found: list[tuple[Path, bool]]) -> None:
    """Which file is judged, how old it is, and what else there is that might be meant."""
    newest = found[0][0]
    minutes = max(0, round((time.time() - newest.stat().st_mtime) / 60))
    print(words.JUDGING.format(path=shown(newest), minutes=minutes))
    for path, written in found[1:]:
        if written:
            print(words.ALSO_IN.format(path=shown(path), exercise=exercise))
    named = work_folder() / f"{exercise}.py"
    if named.exists() and named not in [path for path, _ in found]:
        print(words.NOT_DEFINED_IN.format(path=shown(named), exercise=exercise))
    if not found[0][1]:
        print(words.SAVE_FIRST)
    sys.stdout.flush()


# grade


def _grade(options: argparse.Namespace, rest: list[str]) -> int:
    from ringlab.gradebook.command import Options, grade

    return grade(
        options.paths,
        options.out,
        Options(
            jobs=options.jobs,
            nbval=not options.no_nbval,
            seed=options.seed,
            sandbox=options.sandbox,
            start=options.start,
            private_cases=options.private_cases,
            identity=options.identity,
            exercises=tuple(options.exercise),
            regrade=tuple(options.regrade),
        ),
    )


# test


def _test(options: argparse.Namespace, rest: list[str]) -> int:
    """Every step, the fast ones first; stops at the first that fails."""
    _refuse_without_lessons("test")
    started = time.monotonic()
    for name, command in _steps(options.full):
        print(words.STEP_RUNS.format(name=name), flush=True)
        began = time.monotonic()
        status = subprocess.run(
            command,
            cwd=ROOT,
            env=dict(os.environ, PYTHONPATH=_with_root(os.environ.get("PYTHONPATH"))),
        ).returncode
        nothing_to_run = status == 5 and name == _ALONE
        if status and not nothing_to_run:
            print(words.STEP_FAILED.format(name=name), file=sys.stderr)
            return 1
        print(words.STEP_OK.format(name=name, seconds=time.monotonic() - began), flush=True)
    print(words.ALL_PASSED.format(seconds=time.monotonic() - started))
    return 0


_ALONE = "pytest, one at a time"


def _steps(full: bool) -> list[tuple[str, list[str]]]:
    python = [sys.executable, "-m"]
    pytest = [*python, "pytest"]
    long_ones = "" if full else " and not full"
    return [
        ("ruff check", [*python, "ruff", "check", "--quiet", "--output-format=concise"]),
        ("ruff format --check", [*python, "ruff", "format", "--check", "--quiet"]),
        ("build --check", [*python, "ringlab.cli", "build", "--check"]),
        ("mypy", [*python, "mypy"]),
        # Two workers are what two cores can use; what measures time runs by itself afterwards.
        (
            "pytest, two at a time",
            [*pytest, "-n", "2", "--dist", "worksteal", "-m", f"not alone{long_ones}"],
        ),
        (_ALONE, [*pytest, "-m", f"alone{long_ones}"]),
    ]


# build, bench, doctor


def _build(options: argparse.Namespace, rest: list[str]) -> int:
    _refuse_without_lessons("build")
    from ringlab import build
    from ringlab.build.compare import differences

    try:
        if not options.check:
            build.build(options.lessons, run=not options.no_execute)
            return 0
        found, count = differences()
    except build.BuildError as error:
        raise CommandError(str(error)) from None
    for sentence in found:
        print(sentence, file=sys.stderr)
    if not found:
        print(words.UP_TO_DATE.format(count=count))
    return 1 if found else 0


def _release(options: argparse.Namespace, rest: list[str]) -> int:
    _refuse_without_lessons("release")
    print(release(options.out, options.audience, options.lesson, options.private_cases))
    return 0


def _refuse_without_lessons(command: str) -> None:
    """The learners' edition has no lessons to build and no tests."""
    if not (ROOT / "lessons").is_dir():
        raise CommandError(release_words.FULL_COURSE_ONLY.format(command=command))


def _bench(options: argparse.Namespace, rest: list[str]) -> int:
    import runpy

    sys.argv = ["./course bench", *rest]
    runpy.run_module("ringlab.bench", run_name="__main__", alter_sys=False)
    return 0


def _doctor(options: argparse.Namespace, rest: list[str]) -> int:
    from ringlab.doctor import doctor

    diagnosis = doctor()
    print(json.dumps(diagnosis.to_json(), indent=2) if options.json else diagnosis.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
