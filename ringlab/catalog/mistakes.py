"""Recognisers that several exercises share. They look at a case that failed, and never decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.words import exercises as own_words
from ringlab.words import judge as words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from ringlab.grading.cases import Case, Evidence, Problem
    from ringlab.trace.records import RankRecord


def watched_is(evidence: Evidence, guess: Callable[[list[Tensor]], Any]) -> bool:
    """Whether the watched tensors, or one in a list of them, hold what a mistake would leave there.

    guess: from what the ranks had in a tensor, in float64, to what all of them, or each of them as
    a list, would have. Only for floating dtypes and more than one rank.
    """
    import torch

    case, results = evidence.case, evidence.results
    if results is None or case.world_size < 2:
        return False
    before = zip(*(case.watched_on(arguments) for arguments in case.arguments), strict=True)
    after = zip(*(case.watched_on(result.arguments) for result in results), strict=True)
    seen = False
    for parts, ends in zip(before, after, strict=True):
        if not parts[0].dtype.is_floating_point or not parts[0].numel():
            continue
        seen = True
        guessed = guess([part.double() for part in parts])
        each = guessed if isinstance(guessed, list) else [guessed] * len(ends)
        for end, expected in zip(ends, each, strict=True):
            if not torch.allclose(end.double(), expected, rtol=0.02, atol=0.02):
                return False
    return seen


def mean_instead_of_sum(evidence: Evidence) -> str | None:
    """Every rank has the sum divided by the number of ranks."""
    n = evidence.case.world_size
    return words.IS_MEAN if watched_is(evidence, lambda parts: sum(parts) / n) else None


def unequal_groups(case: Case, records: list[RankRecord]) -> Iterator[Problem]:
    """A traffic rule: every rank makes every group, in the same order."""
    from ringlab.grading.cases import Problem
    from ringlab.world.explain import groups_differ

    for sentence in groups_differ(records):
        yield Problem(sentence)


def remainder_dropped(evidence: Evidence) -> str | None:
    """What is wrong are exactly the last n mod N elements, untouched."""
    import torch

    case, results = evidence.case, evidence.results
    if results is None or case.watched is None:
        return None
    before = case.arguments[0][case.watched].reshape(-1)
    after = results[0].arguments[case.watched].reshape(-1)
    n, left = before.numel(), before.numel() % case.world_size
    if not left or n < case.world_size or not torch.equal(before[n - left :], after[n - left :]):
        return None
    if bool((before[: n - left] == after[: n - left]).all()):
        return None
    return words.REMAINDER.format(left=left, n=n, world_size=case.world_size)


def changed_before_the_wait(evidence: Evidence) -> str | None:
    """The tensor was changed between a receive and its wait, on the rank that waits."""
    if evidence.replay is None:
        return None
    for record in evidence.replay.records:
        for operation in record.operations:
            if operation.name != "recv" or operation.waited_at is None:
                continue
            for before, after in zip(record.snapshots, record.snapshots[1:], strict=False):
                inside = operation.posted_at < after.at < operation.waited_at
                if inside and after.data != before.data and after.line is not None:
                    return words.BEFORE_THE_WAIT.format(
                        rank=record.rank,
                        line=after.line,
                        what=operation.describe(),
                        posted=operation.line,
                    )
    return None


def not_copied_back(evidence: Evidence) -> str | None:
    """Communicated, and yet every tensor of the list is as it was on every rank."""
    import torch

    case, results = evidence.case, evidence.results
    if results is None or case.world_size < 2 or not any(r.operations for r in evidence.records):
        return None
    if not any(tensor.numel() for tensor in case.tensors):
        return None
    same = all(
        torch.equal(was, now)
        for arguments, result in zip(case.arguments, results, strict=True)
        for was, now in zip(
            case.watched_on(arguments), case.watched_on(result.arguments), strict=True
        )
    )
    return own_words.NOT_COPIED_BACK if same else None


def gaps_lost(evidence: Evidence) -> str | None:
    """What is as it was are tensors that are not contiguous, and no others."""
    import torch

    case, results = evidence.case, evidence.results
    if results is None or case.world_size < 2:
        return None
    before, after = case.watched_on(case.arguments[0]), case.watched_on(results[0].arguments)
    kept = [
        was for was, now in zip(before, after, strict=True) if was.numel() and torch.equal(was, now)
    ]
    lost = kept and not any(tensor.is_contiguous() for tensor in kept)
    return own_words.GAPS_LOST if lost else None
