"""A process that judges: it takes one task after another from the grader, which has no torch.

Tasks and answers are JSON. A worker is forked from a server that has imported torch once, so that
the workers share its memory; it has a host of its own for its ranks.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import resource
import signal
import time
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringlab.gradebook.discover import digest, plan
from ringlab.plain import plain
from ringlab.words import gradebook as words

if TYPE_CHECKING:
    from ringlab.catalog.private import Private
    from ringlab.grading.verdict import Report

MESSAGE_LIMIT = 500
Task = dict[str, Any]


def main(connection: Connection, settings: dict[str, Any]) -> None:
    """Serve tasks until the grader closes the connection.

    settings: `start`, `sandbox`, `hidden` (paths that no rank may see), `private_cases`.
    """
    from ringlab.world.supervisor import PR_SET_PDEATHSIG, prctl

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's to handle
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        worker = _Worker(settings)
    except _Unusable as error:
        _send(connection, {"refused": str(error)})
        return
    _send(connection, {"ready": worker.protection})
    while True:
        try:
            task = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
        _send(connection, worker.do(task))
        _give_back_memory()


def _send(connection: Connection, answer: dict[str, Any]) -> None:
    try:
        connection.send_bytes(json.dumps(answer).encode())
    except OSError:
        os._exit(0)  # the grader is gone


def _give_back_memory() -> None:
    """glibc keeps what was freed; thousands of judgements would spread over more and more of it."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


class _Unusable(Exception):
    """Nothing can be judged with these settings; one sentence."""


class _Worker:
    def __init__(self, settings: dict[str, Any]) -> None:
        from ringlab.catalog.private import BadPrivateCases, load

        self.start: str = settings["start"]
        folder = settings["private_cases"]
        try:
            self.private: Private = load(Path(folder) if folder else None)
        except BadPrivateCases as error:
            raise _Unusable(str(error)) from None
        self.mode: str = settings["sandbox"]
        self.protection = _protect(self.mode, settings["hidden"])

    def do(self, task: Task) -> dict[str, Any]:
        """Carry out one task."""
        path = Path(task["path"])
        if task["do"] == "look":
            found = plan(path, sorted(self.private.exercises))
            return {"plan": asdict(found)}
        if task["do"] == "notebook":
            from ringlab.gradebook.notebook import run_notebook

            begun = time.monotonic()
            exercises, accepted = task["exercises"], task["accepted"]
            done = run_notebook(path, task["lesson"], exercises, accepted, task["hidden"])
            seconds = time.monotonic() - begun
            return {"run": asdict(replace(done, seconds=seconds, sha256=digest(path)))}
        return {"judgement": self._judge(path, task["exercise"], task["seed"])}

    def _judge(self, path: Path, exercise_id: str, seed: int) -> dict[str, Any]:
        from ringlab.gradebook import points
        from ringlab.gradebook.fragment import fragment
        from ringlab.grading.verdict import Check

        exercise = self.private.get(exercise_id)
        before = digest(path)
        report = self._report(exercise, path, seed)
        free = points.free_promises(exercise)
        shown, private = report, ""
        extra = self.private.added.get(exercise_id)
        if extra is not None and _may_go_on(report):
            hidden = self._report(extra, path, seed)
            private = _first_failure(hidden)
            said = "" if hidden.passed else words.PRIVATE_FAILED
            check = Check("behaviour", words.PRIVATE_PROMISE, hidden.passed, said)
            verdict = report.verdict if hidden.passed else hidden.verdict
            if "could not be judged" in (report.verdict, hidden.verdict):
                verdict = "could not be judged"
            shown = report = replace(
                report,
                verdict=verdict,
                checks=(*report.checks, check),
                seconds=report.seconds + hidden.seconds,
                unexplained=report.unexplained
                | (frozenset({words.PRIVATE_PROMISE}) if hidden.unexplained else frozenset()),
            )
            names = {check.name for check in hidden.checks if check.layer == "behaviour"}
            if names <= points.free_promises(extra):
                free |= {words.PRIVATE_PROMISE}
        elif exercise_id in self.private.exercises:
            private, shown = _first_failure(report), _without_cases(report)
        awarded = points.award(exercise, report, free)
        return {
            "exercise": exercise_id,
            "verdict": report.verdict,
            "points": awarded,
            "max_points": exercise.points,
            "seconds": round(report.seconds, 3),
            "message": _first_failure(shown),
            "private": private,
            "checks": json.dumps([check.to_json() for check in shown.checks]),
            "report": fragment(shown),
            "again": report.verdict == "could not be judged",
            "seed": seed,
            "sha256": before,
        }

    def _report(self, exercise: Any, path: Path, seed: int) -> Report:
        from ringlab.grading.command import check_answer, judge_broke, not_judged

        begun = time.monotonic()
        contained = self.protection["name"] != "none" or self.mode == "off"
        if exercise.rules().is_program and not contained:
            return not_judged(exercise.id, path, words.ONLY_CONTAINED)
        try:
            return check_answer(exercise, path, self.start, seed, thorough=True)
        except Exception as error:
            return judge_broke(exercise.id, path, error, begun)


def _protect(mode: Any, hidden: list[str]) -> dict[str, Any]:
    """What ranks are kept in, as plain data. Raises _Unusable when that is asked for in vain."""
    from ringlab.world import sandbox

    try:
        return sandbox.use(mode, [Path(each) for each in hidden]).to_json()
    except sandbox.SandboxUnavailable as error:
        raise _Unusable(str(error)) from None


def _may_go_on(report: Report) -> bool:
    """Whether it makes sense to run an answer on more cases."""
    refused = any(check.layer == "source" and not check.passed for check in report.checks)
    behaved = any(check.layer == "behaviour" and check.passed for check in report.checks)
    return report.verdict != "could not be judged" and not refused and behaved


def _first_failure(report: Report) -> str:
    failed = report.failures
    return plain(" ".join(failed[0].message.split()), MESSAGE_LIMIT) if failed else ""


def _without_cases(report: Report) -> Report:
    """The report of an exercise that an instructor keeps private: its source layer alone."""
    from ringlab.grading.verdict import Check

    checks = [check for check in report.checks if check.layer == "source"]
    others = [check for check in report.checks if check.layer != "source"]
    if others:
        passed = all(check.passed for check in others)
        said = "" if passed else words.PRIVATE_FAILED
        checks.append(Check("behaviour", words.PRIVATE_PROMISE, passed, said))
    return replace(report, checks=tuple(checks), playback=None)


def seed_for(class_seed: int, raw: bytes, exercise: str) -> int:
    """The seed of one answer's random values: the same for the same class, path and exercise."""
    text = b"\0".join([str(class_seed).encode(), raw, exercise.encode()])
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big") >> 1
