"""How many points a judgement is worth. `words.POINTS_RULE` says the same to people."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from ringlab.catalog.exercise import Exercise
from ringlab.grading.cases import Case, CaseResult
from ringlab.grading.verdict import Report

BEHAVIOUR_SHARE = 0.5
"""Of an exercise with a budget; without one its behaviour is worth everything."""


def award(exercise: Exercise, report: Report, free: frozenset[str] | None = None) -> float | None:
    """Points for an answer, from 0 to `exercise.points`; None if it could not be judged.

    free: promises that carry nothing; by default those that `free_promises` finds.
    """
    if report.verdict == "could not be judged":
        return None
    if report.passed:
        return float(exercise.points)
    checks = {
        layer: [check for check in report.checks if check.layer == layer]
        for layer in ("source", "behaviour", "traffic")
    }
    if not all(check.passed for check in checks["source"]):
        return 0.0
    if exercise.trial is not None:
        return 0.0  # which of its promises an idle answer keeps can't be worked out
    free = free_promises(exercise) if free is None else free
    # Keeping a free promise earns nothing; breaking it costs as much as breaking another.
    carrying = [c for c in checks["behaviour"] if c.name not in free or not c.passed]
    kept = [c for c in carrying if c.passed and c.name not in report.unexplained]
    share = len(kept) / len(carrying) if carrying else 0.0
    right = all(check.passed for check in checks["behaviour"]) and not report.unexplained
    if exercise.traffic is not None:
        rules = [check.passed for check in checks["traffic"]]
        budget = sum(rules) / len(rules) if right and rules else 0.0
        share = BEHAVIOUR_SHARE * share + (1 - BEHAVIOUR_SHARE) * budget
    return round(exercise.points * share, 2)


def free_promises(exercise: Exercise) -> frozenset[str]:
    """Promises that an answer keeps which does nothing, or hands back what it was given.

    An empty tensor is right as it is, and so is any tensor on one rank.
    """
    return _free_promises(exercise.id, exercise.worlds, exercise.cases)


@cache
def _free_promises(exercise_id: str, worlds: tuple[Any, ...], cases: Any) -> frozenset[str]:
    generator = torch.Generator().manual_seed(1)
    found: dict[str, bool] = {}
    for entry in worlds:
        world_size = entry if isinstance(entry, int) else entry[0]
        for case in cases(world_size, generator):
            name = case.name if case.calls is not None else case.group
            found[name] = found.get(name, True) and any(
                _is_kept(case, results) for results in _idle(case)
            )
    return frozenset(name for name, is_free in found.items() if is_free)


def _idle(case: Case) -> Iterator[list[CaseResult]]:
    """What answers give back that compute nothing."""
    if case.calls is not None:
        for value in (None, 0, 0.0):
            yield [CaseResult([], value) for _ in case.calls]
        return
    given = [list(arguments) for arguments in case.arguments]
    yield [CaseResult(arguments, None) for arguments in given]
    if all(arguments and isinstance(arguments[0], torch.Tensor) for arguments in given):
        yield [CaseResult(arguments, arguments[0].clone()) for arguments in given]


def _is_kept(case: Case, results: list[CaseResult]) -> bool:
    try:
        return case.judge(case, results) is None
    except Exception:  # an instructor's own judge may not expect None
        return False
