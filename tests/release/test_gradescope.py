"""The autograder for Gradescope: its zip, its two scripts run here, and the results they write."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from editions import answered, lend_environment, reference

from ringlab import catalog
from ringlab.classroom.gradescope import merged
from ringlab.release import release
from ringlab.words import release as words

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the scripts are for Ubuntu")

VISIBILITIES = {"hidden", "after_due_date", "after_published", "visible"}
FORMATS = {"text", "html", "simple_format", "md", "ansi"}
WRONG = "def ring_step(rank, step, world_size):\n    return 0, 1\n"


@pytest.fixture(scope="module")
def autograder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """/autograder as Gradescope lays it out, somewhere else."""
    place = tmp_path_factory.mktemp("gradescope")
    release(place / "out", "gradescope", ["00", "03"])
    root = place / "autograder"
    with zipfile.ZipFile(place / "out" / "ringlab-autograder.zip") as archive:
        archive.extractall(root / "source")
    for name in ("setup.sh", "run_autograder"):
        (root / "source" / name).chmod(0o755)
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    (root / "submission").mkdir()
    lend_environment(root / "source" / "course")
    return root


def test_both_scripts_lie_at_the_root_of_the_zip_as_programs(tmp_path: Path) -> None:
    release(tmp_path / "out", "gradescope", ["00"])
    with zipfile.ZipFile(tmp_path / "out" / "ringlab-autograder.zip") as archive:
        for name in ("setup.sh", "run_autograder"):
            assert archive.read(name).startswith(b"#!/usr/bin/env bash\n")
            assert archive.getinfo(name).external_attr >> 16 & stat.S_IXUSR
        assert archive.read("exercises.txt") == b"who_am_i\n"
        assert not [name for name in archive.namelist() if "solutions" in name]


# setup.sh


def tools(folder: Path, **scripts: str) -> str:
    """A PATH where these programs stand before all others."""
    folder.mkdir()
    for name, script in scripts.items():
        program = folder / name.replace("__", ".").replace("_", "-")
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    return os.pathsep.join([str(folder), os.environ["PATH"]])


def set_up(autograder: Path, path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(autograder / "source" / "setup.sh")],
        env=dict(os.environ, AUTOGRADER_SOURCE=str(autograder / "source"), PATH=path),
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_setup_makes_the_environment(autograder: Path, tmp_path: Path) -> None:
    log = tmp_path / "apt"
    path = tools(tmp_path / "bin", apt_get=f'echo "$*" >> {log}')
    done = set_up(autograder, path)
    assert done.returncode == 0, done.stderr
    assert "What this machine has" in done.stdout
    assert "python" not in log.read_text(), "a fitting Python is here already"


def test_setup_brings_a_python_where_there_is_an_old_one(autograder: Path, tmp_path: Path) -> None:
    """As on Ubuntu 22.04, where python3.12 can't be had and python3.11 can."""
    log = tmp_path / "apt"
    apt = f'echo "$*" >> {log}; case $* in *python3.11*|update*) exit 0;; *) exit 100;; esac'
    old = {f"python3{minor}": "exit 1" for minor in ("", "__11", "__12", "__13")}
    path = tools(tmp_path / "bin", apt_get=apt, bwrap="exit 0", **old)
    done = set_up(autograder, path)
    assert done.returncode == 0, done.stderr
    asked = [line for line in log.read_text().splitlines() if "install" in line]
    assert [line.split()[-2:] for line in asked] == [
        [f"python{version}", f"python{version}-venv"] for version in ("3.12", "3.13", "3.11")
    ]


# run_autograder


def run_autograder(root: Path, **environment: str) -> Any:
    """What results.json holds after a run on what lies in submission/."""
    results = root / "results" / "results.json"
    results.unlink(missing_ok=True)
    done = subprocess.run(
        [str(root / "run_autograder")],
        env=dict(os.environ, AUTOGRADER_ROOT=str(root), **environment),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(results.read_text())
    check_schema(found)
    assert [test["name"] for test in found["tests"]] == ["who_am_i", "ring_step"]
    return found


def check_schema(results: Any) -> None:
    """https://gradescope-autograders.readthedocs.io/en/latest/specs/, the fields that we write."""
    known = {"score", "execution_time", "output", "output_format", "visibility"}
    assert set(results) == known | {"stdout_visibility", "tests"}
    assert results["visibility"] in VISIBILITIES and results["stdout_visibility"] in VISIBILITIES
    assert isinstance(results["execution_time"], int) and isinstance(results["output"], str)
    assert results["score"] == pytest.approx(sum(test["score"] for test in results["tests"]))
    for test in results["tests"]:
        assert set(test) == {
            *("name", "score", "max_score", "status", "output", "output_format", "visibility"),
        }
        assert 0 <= test["score"] <= test["max_score"]
        assert test["status"] in {"passed", "failed"}
        assert test["visibility"] in VISIBILITIES and test["output_format"] in FORMATS
        assert isinstance(test["name"], str) and isinstance(test["output"], str)


@pytest.fixture
def submission(autograder: Path) -> Path:
    folder = autograder / "submission"
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


def test_a_submission_gets_its_points(autograder: Path, submission: Path) -> None:
    """Of the two answers to ring_step, one in a file and one in the notebook, the better counts."""
    right = answered("00", who_am_i=reference("who_am_i"))
    nbformat.write(right, submission / "00_start_here.ipynb")
    (submission / "ring_step.py").write_text(reference("ring_step"))
    nbformat.write(answered("03", ring_step=WRONG), submission / "03_ring_on_paper.ipynb")
    results = run_autograder(autograder)
    for test in results["tests"]:
        assert test["score"] == test["max_score"] == catalog.get(test["name"]).points
        assert test["status"] == "passed"


def test_what_is_wrong_or_missing_says_so(autograder: Path, submission: Path) -> None:
    (submission / "ring_step.py").write_text(WRONG)
    who_am_i, ring_step = run_autograder(autograder)["tests"]
    assert (who_am_i["score"], who_am_i["status"]) == (0, "failed")
    assert who_am_i["output"] == words.NOT_HANDED_IN.format(exercise="who_am_i")
    assert ring_step["score"] < ring_step["max_score"] and ring_step["status"] == "failed"
    assert "chunk" in ring_step["output"]


def test_results_are_written_when_time_runs_out(autograder: Path, submission: Path) -> None:
    (submission / "ring_step.py").write_text(reference("ring_step"))
    results = run_autograder(autograder, AUTOGRADER_SECONDS="0.2")
    assert results["score"] == 0
    assert results["output"].startswith("Grading was stopped")


def test_results_are_written_when_grading_breaks(autograder: Path, submission: Path) -> None:
    kept = autograder / "source" / "exercises.txt"
    text = kept.read_text()
    kept.write_text("no_such_exercise\n")
    try:
        done = subprocess.run(
            [str(autograder / "run_autograder")],
            env=dict(os.environ, AUTOGRADER_ROOT=str(autograder)),
            capture_output=True,
            text=True,
            timeout=100,
        )
    finally:
        kept.write_text(text)
    results = json.loads((autograder / "results" / "results.json").read_text())
    assert done.returncode == 0
    assert results["tests"] == [] and results["score"] == 0
    assert "Could not be judged" in results["output"] and "Traceback" not in results["output"]


def test_an_open_verdict_does_not_hide_a_passed_one() -> None:
    def file(score: float) -> dict[str, Any]:
        test = {"name": "who_am_i", "score": score, "max_score": 2.0}
        return {"execution_time": 1, "tests": [test]}

    for files in ([file(0.0), file(2.0)], [file(2.0), file(0.0)]):
        results = merged(files, ["who_am_i"])
        assert results["score"] == 2.0 and results["execution_time"] == 2
