"""The workflow for GitHub Classroom: laid out as it expects, and its commands run here."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from editions import answered, lend_environment, reference

from ringlab import catalog
from ringlab.release import release

GRADER = "classroom-resources/autograding-command-grader@v1"
REPORTER = "classroom-resources/autograding-grading-reporter@v1"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's repository made from the template: lesson 00 right, lesson 03 not written."""
    out = tmp_path_factory.mktemp("github") / "out"
    release(out, "github", ["00", "03"])
    folder = out / "ringlab-classroom"
    lend_environment(folder)
    (folder / "work").mkdir()
    done = answered("00", who_am_i=reference("who_am_i"))
    nbformat.write(done, folder / "work" / "00_start_here.ipynb")
    nbformat.write(answered("03"), folder / "work" / "03_ring_on_paper.ipynb")
    return folder


@pytest.fixture(scope="module")
def workflow(repository: Path) -> Any:
    return yaml.safe_load((repository / ".github/workflows/classroom.yml").read_text())


def steps(workflow: Any, action: str) -> list[Any]:
    found = workflow["jobs"]["run-autograding-tests"]["steps"]
    return [step for step in found if step.get("uses") == action]


def test_each_exercise_is_a_test_worth_its_points(workflow: Any) -> None:
    tests = {step["with"]["test-name"]: step["with"] for step in steps(workflow, GRADER)}
    assert list(tests) == ["who_am_i", "ring_step"]
    for exercise, settings in tests.items():
        assert settings["max-score"] == catalog.get(exercise).points
        assert 2 < settings["timeout"] <= 60, "minutes: longer than the judge's own deadline"


def test_the_reporter_gets_the_result_of_every_test(workflow: Any) -> None:
    ids = [step["id"] for step in steps(workflow, GRADER)]
    (reporter,) = steps(workflow, REPORTER)
    assert reporter["with"]["runners"].split(",") == ids
    assert reporter["env"] == {
        f"{each.upper()}_RESULTS": f"${{{{steps.{each}.outputs.result}}}}" for each in ids
    }
    assert len(set(ids)) == len(ids)


def test_it_has_the_name_the_events_and_the_rights_that_classroom_looks_for(
    workflow: Any,
) -> None:
    assert workflow["name"] == "Autograding Tests"
    assert {"push", "repository_dispatch"} <= set(workflow["on"])
    assert workflow["permissions"] == {"checks": "write", "actions": "read", "contents": "read"}
    job = workflow["jobs"]["run-autograding-tests"]
    assert job["if"] == "github.actor != 'github-classroom[bot]'"
    assert not [step for step in job["steps"] if "secrets." in str(step)]


def test_what_learners_write_is_what_they_commit(repository: Path) -> None:
    ignored = (repository / ".gitignore").read_text().splitlines()
    assert "work/" not in ignored
    assert ".venv/" in ignored


def test_its_commands_tell_right_from_not_written(repository: Path, workflow: Any) -> None:
    """As the grader's action runs them: no shell, points for status 0 and nothing on stderr."""
    job = workflow["jobs"]["run-autograding-tests"]["steps"]
    (set_up,) = [step["run"] for step in job if "run" in step]
    ended = {"set-up": run(repository, set_up)}
    for step in steps(workflow, GRADER):
        ended[step["with"]["test-name"]] = run(repository, step["with"]["command"])
    assert ended["set-up"].returncode == 0, ended["set-up"].stderr
    assert (ended["who_am_i"].returncode, ended["who_am_i"].stderr) == (0, "")
    assert ended["ring_step"].returncode == 1
    assert "not written" in ended["ring_step"].stdout


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        shlex.split(command), cwd=folder, capture_output=True, text=True, timeout=120
    )
