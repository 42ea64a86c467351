"""Partial credit: by case, and nothing for doing nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ringlab import catalog
from ringlab.gradebook.points import award, free_promises
from ringlab.grading.verdict import Check, Report, Verdict
from ringlab.words import judge as words

RING = catalog.get("ring_all_reduce")
PROMISES = ("divides", "uneven", "few", "dtypes")
RULES = ("operations", "bytes")


def report(
    broken: set[str], verdict: Verdict = "failed", unexplained: frozenset[str] = frozenset()
) -> Report:
    checks = [Check("source", "source", "source" not in broken)]
    checks += [Check("behaviour", name, name not in broken) for name in (*PROMISES, "empty")]
    checks += [Check("traffic", name, name not in broken) for name in RULES]
    return Report("ring_all_reduce", verdict, tuple(checks), 1.0, unexplained=unexplained)


def points(broken: set[str], unexplained: frozenset[str] = frozenset()) -> float | None:
    return award(RING, report(broken, unexplained=unexplained), free=frozenset({"empty"}))


def test_what_passes_has_all_points() -> None:
    assert award(RING, report(set(), "passed")) == 10


def test_what_could_not_be_judged_has_no_points_and_not_none_of_them() -> None:
    assert award(RING, report({"source"}, "could not be judged")) is None


def test_a_refused_source_has_nothing() -> None:
    assert points({"source"}) == 0


def test_each_promise_that_is_kept_carries_the_same() -> None:
    assert points({"few"}) == pytest.approx(10 * 0.5 * 3 / 4)
    assert points({"few", "uneven"}) == pytest.approx(10 * 0.5 * 2 / 4)


def test_the_budget_counts_only_once_every_promise_is_kept() -> None:
    assert points({"bytes"}) == pytest.approx(10 * (0.5 + 0.5 / 2))
    assert points({"bytes", "few"}) == points({"few"})


def test_a_free_promise_earns_nothing_and_costs_its_share_when_it_is_broken() -> None:
    assert points(set(PROMISES)) == 0
    assert points({"empty"}) == pytest.approx(10 * 0.5 * 4 / 5)


def test_a_right_result_that_no_message_explains_earns_nothing() -> None:
    assert points({"operations"}, frozenset(PROMISES)) == 0
    assert points({"operations"}, frozenset({"few"})) == pytest.approx(10 * 0.5 * 3 / 4)


def test_an_exercise_without_a_budget_is_worth_its_behaviour() -> None:
    plain = replace(RING, traffic=None)
    broken = replace(report({"few"}), checks=report({"few"}).checks[:6])
    assert award(plain, broken, free=frozenset({"empty"})) == pytest.approx(10 * 3 / 4)


def test_nothing_is_earned_where_nothing_is_asked() -> None:
    nothing = Report("ring_all_reduce", "failed", (Check("source", "source", True),), 1.0)
    assert award(RING, nothing, free=frozenset()) == 0


def test_an_empty_tensor_is_free() -> None:
    assert free_promises(RING) == {words.GROUP_EMPTY}


def test_one_rank_alone_needs_no_time_and_saying_so_earns_nothing() -> None:
    free = free_promises(catalog.get("tree_time"))
    assert len(free) == 1


@pytest.mark.parametrize("exercise", catalog.all_exercises(), ids=lambda each: each.id)
def test_doing_nothing_earns_nothing_anywhere(exercise: catalog.Exercise) -> None:
    """The promises that an idle answer keeps are free, and never all that an exercise promises."""
    if not exercise.worlds:
        pytest.skip("it is tried in its own way")
    import torch

    generator = torch.Generator().manual_seed(5)
    names = set()
    for entry in exercise.worlds:
        for case in exercise.cases(entry if isinstance(entry, int) else entry[0], generator):
            names.add(case.name if case.calls is not None else case.group)
    assert free_promises(exercise) < names
