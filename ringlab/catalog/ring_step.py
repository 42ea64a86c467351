"""Lesson 03: which chunk travels in which step of the ring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise
from ringlab.schedule import Schedule, ScheduleError, Step, Transfer, find_faults
from ringlab.words import judge as words

if TYPE_CHECKING:
    from ringlab.grading.cases import Case, CaseResult, Problem
    from ringlab.grading.source import SourceRules

TASK = """\
Say, for one rank and one step, which chunk goes to the right and which comes from the left, as
`(send, receive)`. There are N chunks and 2(N − 1) steps. In the first N − 1 steps what arrives is
added, in the rest it overwrites. At the end every chunk must be complete on every rank. Which chunk
a rank starts with is up to you.
"""

HINTS = (
    "Follow one chunk, not one rank: it moves one rank to the right in every step.",
    "What a rank sends in a step is what it received in the step before.",
    "If rank r sends chunk r at step 0, it sends chunk r − 1 at step 1. In Python `(-1) % 4` is 3.",
)


def rules() -> SourceRules:
    """Plain Python."""
    from ringlab.grading.source import SourceRules

    return SourceRules(
        name="ring_step",
        kind="function",
        parameters=("rank", "step", "world_size"),
        allowed_communication=frozenset(),
        forbids=frozenset({"torch"}),
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """Every rank and step of one world size."""
    from ringlab.grading.cases import Case

    calls = [
        (rank, step, world_size)
        for step in range(2 * (world_size - 1))
        for rank in range(world_size)
    ]
    name = words.RING_OF.format(world_size=world_size)
    return [Case(name, words.GROUP_ANSWERS, world_size, [], _judge, watched=None, calls=calls)]


def _judge(case: Case, results: list[CaseResult]) -> Problem | None:
    from ringlab.grading.cases import Problem
    from ringlab.grading.judge import shown

    answers = {}
    assert case.calls is not None
    for (rank, step, n), result in zip(case.calls, results, strict=True):
        got = result.returned
        called = f"ring_step({rank}, {step}, {n})"
        if not (type(got) is tuple and len(got) == 2 and all(type(each) is int for each in got)):
            return Problem(words.STEP_NOT_PAIR.format(call=called, got=shown(got)))
        if not all(0 <= chunk < n for chunk in got):
            return Problem(words.STEP_NO_CHUNK.format(call=called, got=got, last=n - 1))
        answers[rank, step] = got
    return _disagreement(answers, case.world_size) or _broken_law(answers, case.world_size)


def _disagreement(answers: dict[tuple[int, int], tuple[int, int]], n: int) -> Problem | None:
    from ringlab.grading.cases import Problem

    for (rank, step), (sent, _) in answers.items():
        right = (rank + 1) % n
        expected = answers[right, step][1]
        if sent != expected:
            return Problem(
                words.STEP_DISAGREE.format(
                    step=step, rank=rank, sent=sent, right=right, expected=expected, n=n
                ),
                right,
            )
    return None


def schedule_of(answers: dict[tuple[int, int], tuple[int, int]], n: int) -> Schedule:
    """The schedule that a learner's answers describe."""
    steps = tuple(
        Step(
            tuple(
                Transfer(rank, (rank + 1) % n, (answers[rank, step][0],), reduce=step < n - 1)
                for rank in range(n)
            ),
            words.PHASE_REDUCE if step < n - 1 else words.PHASE_GATHER,
        )
        for step in range(2 * (n - 1))
    )
    return Schedule("ring_step", n, (1,) * n, steps)


def _broken_law(answers: dict[tuple[int, int], tuple[int, int]], n: int) -> Problem | None:
    from ringlab.grading.cases import Problem

    faults: list[ScheduleError] = find_faults(schedule_of(answers, n))
    if not faults:
        return None
    first = faults[0]
    return Problem(words.STEP_LAW.format(n=n, law=first), first.rank, first.line)


EXERCISE = Exercise(
    id="ring_step",
    lesson=3,
    points=5,
    title="One step of the ring",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 2, 3, 5, (6, 7, 9, 10), (8, 16), tuple(range(17, 33))),
    cases=cases,
    ranks=False,
)
