"""What the tests of the gradebook share."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

HOME = Path(__file__).parents[2]
Grade = Callable[..., subprocess.CompletedProcess[str]]


def command(*arguments: str | Path) -> list[str]:
    """The command line of `./course grade` in the environment that runs the tests."""
    return [sys.executable, "-m", "ringlab.cli", "grade", *map(str, arguments)]


def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


@pytest.fixture(scope="session")
def grade() -> Grade:
    """Run `./course grade` without nbval, and give back how it ended and what it said."""

    def run(*arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
        more.setdefault("env", environment())
        return subprocess.run(
            command(*arguments, "--no-nbval"),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=600,
            **more,
        )

    return run


def rows(out: Path, current: bool = True) -> list[dict[str, Any]]:
    """The judgements in a gradebook, with the raw relative path of their submissions."""
    db = sqlite3.connect(out / "gradebook.sqlite")
    db.row_factory = sqlite3.Row
    try:
        found = db.execute(
            "SELECT judgements.*, submissions.raw, submissions.name, submissions.who"
            " FROM judgements JOIN submissions ON submissions.id = judgements.submission"
            " WHERE judgements.current = ? ORDER BY judgements.id",
            (current,),
        ).fetchall()
    finally:
        db.close()
    return [dict(row) for row in found]
