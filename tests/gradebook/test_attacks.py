"""Attacks handed in with a class: none passes, none stays, none spoils another's grade."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import messy
import psutil
import pytest
from attacks import ATTACKS
from conftest import Grade, environment, rows

DEADLINE = 10.0
MARK = "RINGLAB_TEST_MARK"


def running(mark: str) -> list[str]:
    """Processes that were started, by however many others, with this mark in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark:
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory, grade: Grade) -> Any:
    folder = tmp_path_factory.mktemp("class")
    marker = tmp_path_factory.mktemp("marker") / "written"
    for i, (name, source) in enumerate(ATTACKS.items()):
        path = folder / name / "who_am_i.py"
        path.parent.mkdir()
        path.write_text(source.format(marker=marker) if "{marker}" in source else source)
        if i % 3 == 0:  # honest work is judged before, between and after them
            honest = folder / f"{name}-honest" / "who_am_i.py"
            honest.parent.mkdir()
            honest.write_text(messy.reference("who_am_i"))
    out = tmp_path_factory.mktemp("grades") / "out"
    done = grade(folder, "--out", out, env={**environment(), MARK: str(out)})
    return {Path(row["name"]).parent.name: row for row in rows(out)}, done, str(out), marker


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_earns_nothing_and_is_over_soon(attacked: Any, name: str) -> None:
    row = attacked[0][name]
    assert (row["verdict"], row["points"]) == ("failed", 0.0), row["message"]
    assert row["seconds"] < DEADLINE + 15
    assert row["message"]


def test_honest_work_beside_attacks_passes(attacked: Any) -> None:
    honest = {name: row for name, row in attacked[0].items() if name.endswith("-honest")}
    assert len(honest) >= 5
    assert {(row["verdict"], row["points"]) for row in honest.values()} == {("passed", 2.0)}


def test_nothing_of_an_attack_is_left(attacked: Any) -> None:
    _, done, mark, marker = attacked
    assert done.returncode == 0, done.stderr
    assert not marker.exists()
    end = time.monotonic() + 10
    while running(mark) and time.monotonic() < end:
        time.sleep(0.2)
    assert not running(mark)


def test_what_is_left_would_be_seen() -> None:
    with subprocess.Popen(["sleep", "60"], env={MARK: "here"}, start_new_session=True) as left:
        # A program that has just been started does not show its environment yet.
        seen = (time.sleep(0.02) or running("here") for _ in range(250))
        assert next(filter(None, seen), []) == ["sleep 60"]
        left.kill()
