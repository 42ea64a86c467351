"""Lesson 00: who this process is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise
from ringlab.words import judge as words

if TYPE_CHECKING:
    from ringlab.grading.cases import Case, CaseResult, Problem
    from ringlab.grading.source import SourceRules

TASK = """\
Every rank runs this function. Let it return two plain ints: the rank of this process, and how many
ranks there are.
"""

HINTS = (
    "Both numbers come from `torch.distributed`, which is at hand as `dist`.",
    "`dist.get_rank()` is the first of them. The other is its neighbour in the documentation.",
)


def rules() -> SourceRules:
    """No messages are needed, and none are forbidden: one can find out by asking the others."""
    from ringlab.grading.source import SourceRules

    return SourceRules(name="who_am_i", kind="function", parameters=(), allowed_communication=None)


def cases(world_size: int, generator: Any) -> list[Case]:
    """One call on every rank."""
    from ringlab.grading.cases import Case

    name = words.WHO_CASE
    arguments: list[tuple[Any, ...]] = [()] * world_size
    return [Case(name, words.GROUP_ANSWERS, world_size, arguments, _judge, watched=None)]


def _judge(case: Case, results: list[CaseResult]) -> Problem | None:
    from ringlab.grading.cases import Problem
    from ringlab.grading.judge import shown

    for rank, result in enumerate(results):
        wanted = (rank, case.world_size)
        got = result.returned
        plain = type(got) is tuple and all(type(each) is int for each in got)
        if plain and got == wanted:
            continue
        if not plain:
            why = words.WHO_NOT_INTS
        elif got == wanted[::-1]:
            why = words.WHO_SWAPPED
        elif len(got) == 2 and got[1] == case.world_size:
            why = words.WHO_RANK
        elif len(got) == 2 and got[0] == rank:
            why = words.WHO_SIZE
        else:
            why = ""
        message = words.WHO_WRONG.format(rank=rank, got=shown(got), wanted=wanted, why=why)
        return Problem(message.strip(), rank)
    return None


EXERCISE = Exercise(
    id="who_am_i",
    lesson=0,
    points=2,
    title="Who am I?",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 2, 3, 1, (5, 6, 7)),
    cases=cases,
)
