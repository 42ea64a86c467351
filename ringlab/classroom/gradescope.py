"""Grade one submission as Gradescope asks it: a folder in, one results.json out, whatever happens.

`classroom/gradescope/run_autograder` starts this. A submission may hold several files: of two
answers to an exercise the better one counts.
https://gradescope-autograders.readthedocs.io/en/latest/specs/ describes the file.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ringlab import catalog
from ringlab.gradebook.files import RESULTS, SUBMISSIONS, write_whole
from ringlab.words import release as words

STOPPING_SECONDS = 20.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade and write; 0 unless the results can't be written."""
    options = _parser().parse_args(arguments)
    try:
        wanted = options.exercises.read_text("utf-8").split()
        results = grade(options.submission, wanted, options.private_cases, options.seconds)
    except Exception as error:  # without a file Gradescope shows nothing but an error of its own
        traceback.print_exc()
        reason = f"{type(error).__name__}: {error}"
        results = _results([], 0, words.GRADING_BROKE.format(reason=reason))
    write_whole(options.results, [json.dumps(results, indent=1)])
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="run_autograder")
    parser.add_argument("--submission", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--exercises", type=Path, required=True)
    parser.add_argument("--private-cases", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    return parser


def grade(
    submission: Path, wanted: Sequence[str], private_cases: Path | None, seconds: float
) -> dict[str, Any]:
    """What Gradescope is told about a folder of files: one test for each exercise wanted."""
    with tempfile.TemporaryDirectory(prefix="ringlab-gradescope-") as place:
        out = Path(place) / "book"
        if (submission / "work").is_dir():  # a whole clone of the course was handed in
            submission /= "work"
        command = [sys.executable, "-P", "-m", "ringlab.cli", "grade", str(submission)]
        command += ["--out", str(out), "--no-nbval"]
        command += [f"--exercise={exercise}" for exercise in wanted]
        if private_cases is not None and private_cases.is_dir():
            command += ["--private-cases", str(private_cases)]
        in_time = _run(command, seconds)
        found = [
            json.loads(path.read_text("utf-8"))
            for path in sorted((out / SUBMISSIONS).glob(f"*/{RESULTS}"))
        ]
    results = merged(found, wanted)
    if not in_time:
        results["output"] = words.OUT_OF_TIME.format(seconds=round(seconds))
    return results


def _run(command: Sequence[str], seconds: float) -> bool:
    """Run to its end, or stop it after so many seconds as Ctrl-C would: it keeps what it has."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as grading:
        try:
            grading.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            grading.send_signal(signal.SIGINT)
            try:
                grading.wait(STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                grading.kill()
            return False


def merged(found: Sequence[dict[str, Any]], wanted: Sequence[str]) -> dict[str, Any]:
    """One results.json of those of several files: each exercise once, by its best answer."""
    best: dict[str, dict[str, Any]] = {}
    for test in (test for results in found for test in results["tests"]):
        other = best.get(test["name"])
        if other is None or test["score"] > other["score"]:
            best[test["name"]] = test
    tests = [best.get(exercise) or _missing(exercise) for exercise in wanted]
    return _results(tests, sum(results["execution_time"] for results in found))


def _missing(exercise: str) -> dict[str, Any]:
    return {
        "name": exercise,
        "score": 0.0,
        "max_score": float(catalog.get(exercise).points),
        "status": "failed",
        "output": words.NOT_HANDED_IN.format(exercise=exercise),
        "output_format": "text",
        "visibility": "visible",
    }


def _results(tests: list[dict[str, Any]], seconds: float, output: str = "") -> dict[str, Any]:
    return {
        "score": round(sum(test["score"] for test in tests), 2),
        "execution_time": round(seconds),
        "output": output or words.GRADED_HERE,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }


if __name__ == "__main__":
    sys.exit(main())
