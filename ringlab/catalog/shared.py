"""What several entries of the catalog have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from ringlab.grading.cases import Case, Judge, Problem
    from ringlab.grading.source import SourceRules
    from ringlab.trace.records import Operation

Shapes = dict[str, list[tuple[int, ...]]]

# On more ranks one small case is tried: there is one to see that no number of ranks is written in.
ALL_CASES_UP_TO = 5
ALL_LISTS_UP_TO = 3


def point_to_point(name: str, parameters: Sequence[str]) -> SourceRules:
    """Rules for a function that may use send, recv, isend, irecv and batch_isend_irecv alone."""
    from ringlab.grading.source import P2P, SourceRules

    return SourceRules(
        name=name, kind="function", parameters=tuple(parameters), allowed_communication=P2P
    )


def no_cases(world_size: int, generator: Any) -> list[Case]:
    """For an exercise that is tried in a way of its own."""
    return []


def too_many_elements(found: Iterable[tuple[Operation, int, int]]) -> Iterator[Problem]:
    """What is wrong with collectives that take more than they need.

    found: collectives, each with the elements that it takes and the most that are enough.
    """
    from ringlab.grading.cases import Problem

    for operation, got, most in found:
        if got > most:
            text = own_words.TOO_MANY_ELEMENTS.format(
                rank=operation.rank,
                what=operation.describe(),
                line=operation.line,
                got=got,
                most=most,
            )
            yield Problem(text, operation.rank, operation.line)


def usual_shapes(generator: Any, large: int = 20_000) -> Shapes:
    """Small, one element, about `large` elements, several dimensions, none, empty; drawn anew."""
    from ringlab.grading.cases import pick

    drawn = (pick(generator, 5, 40),)
    return {
        own_words.GROUP_SIZES: [drawn, (1,), (pick(generator, large // 2, large),)],
        words.GROUP_SHAPES: [(4, 5), tuple(pick(generator, 2, 5) for _ in range(3)), ()],
        words.GROUP_EMPTY: [(0,)],
    }


def usual_cases(
    world_size: int,
    generator: Any,
    judge: Judge,
    shapes: Mapping[str, Sequence[Sequence[int]]],
    **options: Any,
) -> list[Case]:
    """Every shape in float32; on 4 and on 2 ranks also each promised dtype and late ranks.

    A dtype or a late rank that breaks an answer breaks it there; each case costs everybody time.
    On more than `ALL_CASES_UP_TO` ranks the first shape alone.

    options: as `ringlab.grading.cases.one_case` takes them.
    """
    import torch

    from ringlab.grading.cases import FLOATS, delayed_cases, tensor_cases

    if world_size > ALL_CASES_UP_TO:
        group, (shape, *_) = next(iter(shapes.items()))
        shapes = {group: [shape]}
    both = world_size in (2, 4)
    others = [*FLOATS, torch.int64] if both else []
    late = delayed_cases(world_size, generator, judge, **options) if both else []
    return [
        *tensor_cases(
            world_size,
            generator,
            judge,
            shapes=shapes,
            dtypes=[torch.float32],
            others=others,
            **options,
        ),
        *late,
    ]
