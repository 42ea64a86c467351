"""`./course test --full`: mutants of each reference answer are refused, but for those listed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import mutants
import pytest

from ringlab import catalog
from ringlab.grading.judge import judge

HERE = Path(__file__).parent
SOLUTIONS = HERE.parents[1] / "solutions"
EQUALS = json.loads((HERE / "equal_mutants.json").read_text())
# Nothing to mutate in two of them; in the third each would start Python anew dozens of times.
LEFT_OUT = ("average_gradient", "who_am_i", "grade_worker")


def mutants_of(path: Path, cosmic_ray: Path) -> list[str]:
    search = os.pathsep.join([str(cosmic_ray), str(HERE.parents[1])])
    done = subprocess.run(
        [sys.executable, str(HERE / "mutants.py"), str(path)],
        env={**os.environ, "PYTHONPATH": search},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "exercise",
    [each for each in catalog.all_exercises() if each.id not in LEFT_OUT],
    ids=lambda each: each.id,
)
def test_a_mutant_of_the_reference_is_refused(exercise: catalog.Exercise, cosmic_ray: Path) -> None:
    """Those that pass do what the reference does; each was looked at, the reason stands beside."""
    path = SOLUTIONS / f"{exercise.id}.py"
    source = path.read_text()
    equals = EQUALS.get(exercise.id, {})
    passed, refused = [], []
    for mutant in mutants_of(path, cosmic_ray):
        report = judge(exercise, mutant, seed=20)
        (passed if report.passed else refused).append(mutants.change(source, mutant))
    assert refused
    assert sorted(set(passed) - set(equals)) == []
