"""Lesson 04: the chunked ring on real ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise, Mistake
from ringlab.catalog.mistakes import (
    changed_before_the_wait,
    mean_instead_of_sum,
    remainder_dropped,
)
from ringlab.catalog.shared import point_to_point, usual_cases
from ringlab.words import judge as words

if TYPE_CHECKING:
    from ringlab.grading.cases import Case, Evidence
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic

TASK = """\
Write the ring. Every rank runs this function with a tensor of its own; afterwards every rank's
`tensor` holds the sum, in place, as after `dist.all_reduce(tensor)`.

* Only `send`, `recv`, `isend`, `irecv` and `batch_isend_irecv`; a rank sends only to rank + 1.
* At most 2(N − 1) messages and 2(N − 1)·⌈n/N⌉ elements leave a rank.
* At most two chunks of memory beside the tensor.
* Any world size from 1, any shape: n need not divide by N, and may be smaller than it, or 0.
"""

HINTS = (
    "Cut first. `tensor.view(-1)` is the tensor as one row, and `tensor_split(world_size)` cuts a "
    "row into views: what you write into a chunk stands in the tensor.",
    "You have `ring_step` from lesson 03. In each step: post the receive and the send, wait for "
    "both, and only then add.",
    "A message overwrites what it lands on. To add, receive into a buffer as large as the largest "
    "chunk. In the second half you may receive into the chunk itself.",
    "The chunks differ in length by one at most. Receive into `buffer[: chunk.numel()]`, so that "
    "both sides agree on the size.",
)


def rules() -> SourceRules:
    """Point-to-point operations only."""
    return point_to_point("ring_all_reduce", ["tensor"])


def cases(world_size: int, generator: Any) -> list[Case]:
    """Every shape that has broken a ring, sizes drawn anew, and ranks that come late."""
    import torch

    from ringlab.grading.cases import pick, sum_over_ranks, tensor_cases

    n = world_size
    uneven = n * pick(generator, 2, 6) + pick(generator, 1, max(1, n - 1))
    length = n * pick(generator, 4000, 6000) + pick(generator, 0, n - 1)
    large: dict[str, list[tuple[int, ...]]] = {words.GROUP_LARGE: [(length,)]}
    if world_size > 5:
        shapes: dict[str, list[tuple[int, ...]]] = {words.GROUP_UNEVEN: [(uneven,)], **large}
        return tensor_cases(n, generator, sum_over_ranks, shapes=shapes, dtypes=[torch.float32])
    shapes = {
        words.GROUP_DIVIDES: [(n,), (n * pick(generator, 2, 6),)],
        words.GROUP_UNEVEN: [(n + 1,), (2 * n - 1,), (uneven,)],
        words.GROUP_FEW: [(1,), (max(1, n - 1),)],
        words.GROUP_SHAPES: [(4, 5), tuple(pick(generator, 2, 5) for _ in range(3)), ()],
        words.GROUP_EMPTY: [(0,)],
    }
    return usual_cases(n, generator, sum_over_ranks, {**shapes, **large})


def traffic() -> Traffic:
    """2(N - 1) messages of a chunk each, all to the right."""
    from ringlab.grading.cases import chunk_elements
    from ringlab.grading.traffic import P2P, Traffic

    return Traffic(
        operations=P2P,
        allowed=words.P2P_ALLOWED,
        sends_to=lambda rank, n: (rank + 1) % n,
        messages=lambda n, elements, item: 2 * (n - 1),
        nbytes=lambda n, elements, item: 2 * (n - 1) * chunk_elements(elements, n) * item,
        bytes_reason=words.RING_BYTES,
        least=lambda n, elements, item: elements * item,
        memory=lambda n, elements, item: 2 * chunk_elements(elements, n) * item,
    )


def _whole_tensor(evidence: Evidence) -> str | None:
    tensor = evidence.case.tensor
    if tensor is None or tensor.numel() < 2 or evidence.case.world_size < 3:
        return None
    sends = [o for r in evidence.records for o in r.operations if o.name == "send"]
    if sends and all(o.numel == tensor.numel() for o in sends):
        return words.WHOLE_TENSOR.format(line=sends[0].line)
    return None


EXERCISE = Exercise(
    id="ring_all_reduce",
    lesson=4,
    points=10,
    title="The ring",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(4, 3, 2, 5, 1, (6, 7, 8)),
    cases=cases,
    traffic=traffic,
    mistakes=(
        Mistake("the whole tensor each hop", _whole_tensor),
        Mistake("a mean", mean_instead_of_sum),
        Mistake("a dropped remainder", remainder_dropped),
        Mistake("a change before the wait", changed_before_the_wait),
    ),
    replay=(4, 8),
)
