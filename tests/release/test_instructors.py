"""INSTRUCTORS.md names nothing that is not there: commands, options, lessons, files, tricks."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from editions import ROOT

from ringlab import catalog, cli

PAGE = (ROOT / "INSTRUCTORS.md").read_text("utf-8")
BLOCKS = "\n".join(re.findall(r"^```\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
LINES = [line.partition(" #")[0].strip() for line in BLOCKS.splitlines()]
INLINE = re.findall(r"`((?:\./course|nbgrader|pytest)\b[^`]*)`", PAGE)
COMMANDS = [line for line in dict.fromkeys([*LINES, *INLINE]) if line]


@cache
def help_of(command: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), pytest.raises(SystemExit) as ended:
        cli.main([command, "--help"])
    assert ended.value.code == 0
    return said.getvalue()


def options(words: list[str]) -> list[str]:
    return [word.partition("=")[0] for word in words if word.startswith("--")]


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("./course")])
def test_the_course_has_each_command_and_option(line: str) -> None:
    _, command, *rest = shlex.split(line)
    text = help_of(command)
    for option in options(rest):
        assert re.search(rf"{option}\b", text), f"{option} is not in ./course {command} --help"
    if line in LINES:
        cli._parse([command, *rest])
    if "--lesson" in rest:
        lesson = rest[rest.index("--lesson") + 1]
        assert list((ROOT / "notebooks").glob(f"{lesson}_*.ipynb"))


def test_every_line_of_a_block_is_a_command_that_is_looked_at() -> None:
    known = ("./course ", "nbgrader ", "pytest ", "pip ", ". .venv/bin/activate")
    assert [line for line in LINES if line and not line.startswith(known)] == []


def test_nbgrader_has_each_command(nbgrader_home: Path) -> None:
    program = "from nbgrader.apps.nbgraderapp import NbGraderApp as a; print(*a.subcommands)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=dict(os.environ, PYTHONPATH=str(nbgrader_home)),
        capture_output=True,
        text=True,
    )
    named = {line.split()[1] for line in COMMANDS if line.startswith("nbgrader ")}
    assert named and named <= set(done.stdout.split()), done.stderr


def test_pytest_has_each_option() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--help"], capture_output=True, text=True, cwd=ROOT
    )
    for line in COMMANDS:
        if line.startswith("pytest "):
            for option in options(shlex.split(line)):
                assert option in done.stdout


def test_exercises_lessons_and_files_that_it_names_exist() -> None:
    known = {exercise.id for exercise in catalog.all_exercises()}
    assert set(re.findall(r"(?:check|exercise|--regrade) ([a-z]\w+)", BLOCKS + PAGE)) & known
    for name in re.findall(r"`?\b(\d\d_\w+)(?:\.ipynb)?\b", PAGE):
        assert (ROOT / "notebooks" / f"{name}.ipynb").exists(), name
    for name in re.findall(r"`((?:ringlab|classroom)/[\w./]*)`", PAGE):
        assert (ROOT / name).exists(), name


def test_it_is_one_page_and_the_readme_points_to_it() -> None:
    assert len(PAGE.splitlines()) <= 160
    assert "INSTRUCTORS.md" in (ROOT / "README.md").read_text("utf-8")
