"""The workflow of GitHub Classroom: one step an exercise, each worth its points."""

from __future__ import annotations

from collections.abc import Sequence

# As GitHub Classroom writes it, and finds it: .github/workflows/classroom.yml, with this job.
_HEAD = """\
# Written by ./course release --for github: each exercise is a test of GitHub Classroom.
name: Autograding Tests
'on':
- push
- workflow_dispatch
- repository_dispatch
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    steps:
    - name: Checkout code
      uses: actions/checkout@v4
    - name: Set up Python
      uses: actions/setup-python@v5
      with:
        python-version: '3.12'
    - name: Set up the course
      run: ./course doctor
"""

_STEP = """\
    - name: {exercise}
      id: {step}
      uses: classroom-resources/autograding-command-grader@v1
      with:
        test-name: {exercise}
        command: ./course check {exercise}
        timeout: {minutes}
        max-score: {points}
"""

_TAIL = """\
    - name: Autograding Reporter
      uses: classroom-resources/autograding-grading-reporter@v1
      env:
{results}
      with:
        runners: {runners}
"""

MINUTES = 5  # a verdict takes at most two; the runner may be slow


def workflow(graded: Sequence[tuple[str, int]]) -> str:
    """The YAML for these exercises and points."""
    steps = [
        _STEP.format(exercise=name, step=_step(name), minutes=MINUTES, points=points)
        for name, points in graded
    ]
    results = [
        f'        {_step(name).upper()}_RESULTS: "${{{{steps.{_step(name)}.outputs.result}}}}"'
        for name, _ in graded
    ]
    runners = ",".join(_step(name) for name, _ in graded)
    return _HEAD + "".join(steps) + _TAIL.format(results="\n".join(results), runners=runners)


def _step(exercise: str) -> str:
    return exercise.replace("_", "-").lower()
