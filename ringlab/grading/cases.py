"""Cases: what a learner's function is called with, and whether what came of it is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ringlab.words import judge as words

if TYPE_CHECKING:
    from ringlab.trace.records import RankRecord
    from ringlab.trace.watch import Trace

FLOATS = (torch.float32, torch.float64, torch.bfloat16)


@dataclass(frozen=True)
class Problem:
    """What is wrong with one case, in one or two sentences."""

    message: str
    rank: int | None = None
    line: int | None = None


@dataclass
class CaseResult:
    """What one rank gave back: its arguments as they are after the call, and what was returned.

    `spoiled` says what happened to a tensor besides its values: its storage was swapped, its shape
    or dtype changed, bytes beside it were written. `shares`: what was returned lies in the memory
    of an argument. `refused`: the call raised a ValueError where that was asked for. `stale`: what
    the call before returned has other values now.
    """

    arguments: list[Any]
    returned: Any
    spoiled: list[str] = field(default_factory=list)
    shares: bool = False
    refused: bool = False
    stale: bool = False


Judge = Callable[["Case", list[CaseResult]], Problem | None]


@dataclass
class Case:
    """One call on every rank. `arguments[rank]` is what that rank's call gets.

    group       the promise that the case belongs to; a report has one line for each
    watched     index of the argument (a tensor or a list of them) that is changed in place,
                None if there is none
    delays      seconds that each rank waits before the call
    within      a larger tensor lies round each tensor argument, and must not change
    calls       for exercises without ranks: the argument tuples of all calls
    refuses     what can't be right in the arguments: the call must raise ValueError and send
                nothing; "" where they are right
    """

    name: str
    group: str
    world_size: int
    arguments: list[tuple[Any, ...]]
    judge: Judge
    watched: int | None = 0
    delays: tuple[float, ...] = ()
    calls: list[tuple[Any, ...]] | None = None
    refuses: str = ""

    @property
    def tensor(self) -> Tensor | None:
        """The watched argument on rank 0, where that is one tensor."""
        value = None if self.watched is None else self.arguments[0][self.watched]
        return value if isinstance(value, Tensor) else None

    @property
    def tensors(self) -> list[Tensor]:
        """Every tensor among the arguments on rank 0, those in lists too."""
        return [tensor for value in self.arguments[0] for tensor in tensors_in(value)]

    def watched_on(self, arguments: Sequence[Any]) -> list[Tensor]:
        """The tensors that are changed in place, out of the arguments of one rank."""
        return [] if self.watched is None else tensors_in(arguments[self.watched])


@dataclass
class Evidence:
    """All that is known about a case that failed."""

    case: Case
    results: list[CaseResult] | None
    records: list[RankRecord]
    replay: Trace | None = None


def draw(shape: Sequence[int], dtype: torch.dtype, generator: torch.Generator) -> Tensor:
    """Values that differ by position, of magnitude 0.5 to 2, so that a lost one shows in any dtype.

    Integers reach beyond 2**53, where a detour over floats would round them.
    """
    size = tuple(shape)
    if dtype.is_floating_point:
        magnitude = torch.rand(size, generator=generator, dtype=torch.float64) * 1.5 + 0.5
        sign = torch.randint(0, 2, size, generator=generator) * 2 - 1
        return (magnitude * sign).to(dtype)
    return torch.randint(-(1 << 58), 1 << 58, size, generator=generator, dtype=torch.int64).to(
        dtype
    )


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors of an argument that is one, or a list of them."""
    if isinstance(value, Tensor):
        return [value]
    return list(value) if isinstance(value, list) else []


def spanned(tensor: Tensor) -> Tensor:
    """The memory from its first to its last element, as one row; more than it if it has gaps."""
    if not tensor.numel():
        return tensor.reshape(0)
    last = sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    return tensor.as_strided((last + 1,), (1,))


def pick(generator: torch.Generator, low: int, high: int) -> int:
    """A whole number from low to high, both included, so that sizes can't be known beforehand."""
    return int(torch.randint(low, high + 1, (), generator=generator))


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def describe(shape: Sequence[int], dtype: torch.dtype) -> str:
    """ "7 elements, float32" or "shape (4, 5), int64"."""
    if len(shape) == 1:
        text = words.ONE_ELEMENT if shape[0] == 1 else words.ELEMENTS.format(count=shape[0])
    else:
        text = words.SHAPE.format(shape=tuple(shape))
    return words.TENSOR.format(size=text, dtype=name_of(dtype))


def tensor_cases(
    world_size: int,
    generator: torch.Generator,
    judge: Judge,
    *,
    shapes: Mapping[str, Sequence[Sequence[int]]],
    dtypes: Sequence[torch.dtype],
    others: Sequence[torch.dtype] = (),
    **options: Any,
) -> list[Case]:
    """A case for each shape and dtype. shapes: group -> shapes. others: dtypes for one shape.

    options: as `one_case` takes them.
    """
    wanted = [
        (group, shape, dtype)
        for group, group_shapes in shapes.items()
        for shape in group_shapes
        for dtype in dtypes
    ]
    length = world_size * pick(generator, 2, 9) + 1
    wanted += [(words.GROUP_DTYPES, (length,), dtype) for dtype in others]
    return [
        one_case(world_size, generator, judge, group, shape, dtype, **options)
        for group, shape, dtype in wanted
    ]


def one_case(
    world_size: int,
    generator: torch.Generator,
    judge: Judge,
    group: str,
    shape: Sequence[int],
    dtype: torch.dtype,
    delays: tuple[float, ...] = (),
    more: Mapping[str, Any] | None = None,
    watched: int | None = 0,
) -> Case:
    """A case with one tensor a rank, all of the same shape and dtype.

    more: further arguments with their names, the same on every rank.
    """
    more = more or {}
    name = ", ".join([describe(shape, dtype), *(f"{each}={value}" for each, value in more.items())])
    arguments = [(draw(shape, dtype, generator), *more.values()) for _ in range(world_size)]
    return Case(name, group, world_size, arguments, judge, watched, delays)


@dataclass(frozen=True)
class Layout:
    """A tensor to draw: its shape and dtype, and how it lies in memory.

    gaps: "" contiguous, "transposed" with its first two dimensions swapped, "strided" every other
    element of its last dimension.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float32
    gaps: str = ""

    def draw(self, generator: torch.Generator) -> Tensor:
        if self.gaps == "transposed":
            rows, columns, *rest = self.shape
            return draw((columns, rows, *rest), self.dtype, generator).transpose(0, 1)
        if self.gaps == "strided":
            *rest, last = self.shape
            return draw((*rest, 2 * last), self.dtype, generator)[..., ::2]
        return draw(self.shape, self.dtype, generator)


def list_case(
    world_size: int,
    generator: torch.Generator,
    judge: Judge,
    group: str,
    layouts: Sequence[Layout],
    *,
    more: Mapping[str, Any] | None = None,
    delays: tuple[float, ...] = (),
) -> Case:
    """A case with a list of tensors a rank, of the same shapes and dtypes on every rank.

    more: further arguments with their names, the same on every rank.
    """
    more = more or {}
    dtypes = dict.fromkeys(name_of(layout.dtype) for layout in layouts)
    count = {0: words.LIST_OF_NONE, 1: words.LIST_OF_ONE}.get(
        len(layouts), words.LIST_OF.format(count=len(layouts))
    )
    name = ", ".join([count, *dtypes, *(f"{each}={value}" for each, value in more.items())])
    arguments = [
        ([layout.draw(generator) for layout in layouts], *more.values()) for _ in range(world_size)
    ]
    return Case(name, group, world_size, arguments, judge, 0, delays)


def refused_case(case: Case, why: str) -> Case:
    """The same case, to be refused on every rank. why: what can't be right in its arguments."""
    return replace(case, group=words.GROUP_REFUSED, judge=_refused, refuses=why)


def two_devices_case(case: Case) -> Case:
    """A case with a list of tensors, to be refused since one more of them is on another device."""
    stranger = torch.empty(2, device="meta")
    arguments = [([*given[0], stranger], *given[1:]) for given in case.arguments]
    name = words.AND_ONE_ON_META.format(case=case.name)
    return refused_case(replace(case, name=name, arguments=arguments), words.TWO_DEVICES)


def _refused(case: Case, results: list[CaseResult]) -> Problem | None:
    for rank, result in enumerate(results):
        if not result.refused:
            return Problem(words.NOT_REFUSED.format(rank=rank, why=case.refuses), rank)
    return spoiled(results) or _changed_argument(case, results)


def late_ranks(world_size: int, seconds: float = 0.015) -> list[tuple[float, ...]]:
    """Delays with the first rank being late, and with the last; none with one rank."""
    late = dict.fromkeys([0, world_size - 1]) if world_size > 1 else {}
    return [tuple(seconds if r == rank else 0.0 for r in range(world_size)) for rank in late]


def delayed_cases(
    world_size: int,
    generator: torch.Generator,
    judge: Judge,
    **options: Any,
) -> list[Case]:
    """One case for the first and one for the last rank being late."""
    return [
        one_case(
            world_size,
            generator,
            judge,
            words.GROUP_DELAYED,
            (2 * world_size + 1,),
            torch.float32,
            delays=delays,
            **options,
        )
        for delays in late_ranks(world_size)
    ]


def rounding(dtype: torch.dtype) -> float:
    """Unit roundoff: the largest relative error of one addition."""
    return torch.finfo(dtype).eps / 2 if dtype.is_floating_point else 0.0


def sum_over_ranks(case: Case, results: list[CaseResult]) -> Problem | None:
    """The sum over ranks, in every watched tensor of every rank, and nothing returned."""
    return in_place(case, results, lambda parts: _sum(parts, 1))


def mean_over_ranks(case: Case, results: list[CaseResult]) -> Problem | None:
    """The mean over ranks, in every watched tensor of every rank, and nothing returned."""
    return in_place(case, results, lambda parts: _sum(parts, len(parts)))


Expected = tuple[Tensor, Tensor]
"""What is expected, and for each element how far from it is allowed."""


def in_place(
    case: Case, results: list[CaseResult], expected: Callable[[list[Tensor]], Expected]
) -> Problem | None:
    """What every rank must hold in the watched tensors afterwards, and nothing returned.

    expected: from what the ranks had in one tensor to what each must have in it.
    """
    before = [case.watched_on(arguments) for arguments in case.arguments]
    wanted = [expected(list(parts)) for parts in zip(*before, strict=True)]
    return spoiled(results) or wrong_values(case, results, wanted) or _returned_something(results)


def _sum(parts: list[Tensor], divisor: int) -> Expected:
    """The sum by `divisor`, and how far another order of addition and division may be from it."""
    dtype = parts[0].dtype
    if not dtype.is_floating_point:
        total = torch.stack(parts).sum(dim=0, dtype=dtype)
        return total, torch.zeros(total.shape, dtype=torch.float64)
    exact = torch.stack([part.double() for part in parts]) / divisor
    # A mean is divided once more, before or after, perhaps by a factor that is rounded itself.
    count = len(parts) - 1 + (2 if divisor > 1 else 0)
    # Each of the N - 1 additions errs by at most u times the sum of the magnitudes
    # (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 4.2); the double sum
    # that it is compared with errs likewise, hence the second term.
    u = rounding(dtype)
    allowed = exact.abs().sum(dim=0) * (count * u * (1 + count * u) + count * 2**-52)
    return exact.sum(dim=0), allowed


def wrong_values(case: Case, results: list[CaseResult], expected: list[Expected]) -> Problem | None:
    """Where a watched tensor of a rank differs from what is expected by more than is allowed."""
    for rank, result in enumerate(results):
        before = case.watched_on(case.arguments[rank])
        after = case.watched_on(result.arguments)
        for i, (own, got, wanted) in enumerate(zip(before, after, expected, strict=True)):
            message = _wrong(own, got, wanted, rank)
            if message is None:
                continue
            if len(after) > 1:
                size = describe(got.shape, got.dtype)
                message = words.IN_TENSOR.format(index=i, size=size, message=message)
            return Problem(message, rank)
    return None


def _wrong(own: Tensor, got: Tensor, expected: Expected, rank: int) -> str | None:
    total, allowed = expected
    wrong = differs(got, total, allowed)
    count = int(wrong.sum())
    if not count:
        return None
    first = int(wrong.reshape(-1).nonzero().reshape(-1)[0])
    untouched = torch.equal(own.reshape(-1), got.reshape(-1))
    text = words.UNTOUCHED if untouched else words.WRONG_VALUES
    return text.format(
        rank=rank,
        count=count,
        total=got.numel(),
        element=first,
        **_pair(got.reshape(-1)[first], total.reshape(-1)[first]),
    )


def new_tensor(
    case: Case, results: list[CaseResult], expected: list[Tensor], *, fresh: bool = True
) -> Problem | None:
    """A tensor returned on every rank, `expected[rank]` bit for bit, and the arguments unchanged.

    fresh: it must not lie in the memory of an argument.
    """
    problem = spoiled(results) or _changed_argument(case, results)
    if problem:
        return problem
    for rank, (result, wanted) in enumerate(zip(results, expected, strict=True)):
        message = _wrong_tensor(result.returned, wanted, rank)
        if message is None and fresh and result.shares:
            message = words.NOT_NEW.format(rank=rank)
        if message is None and fresh and result.stale:
            message = words.STALE.format(rank=rank)
        if message is not None:
            return Problem(message, rank)
    return None


def _wrong_tensor(got: Any, wanted: Tensor, rank: int) -> str | None:
    if not isinstance(got, Tensor):
        kind = "None" if got is None else getattr(got, "type", type(got).__name__)
        return words.RETURNED_NO_TENSOR.format(rank=rank, got=kind)
    if got.dtype != wanted.dtype:
        return words.RETURNED_DTYPE.format(
            rank=rank, got=name_of(got.dtype), wanted=name_of(wanted.dtype)
        )
    if got.shape != wanted.shape:
        return words.RETURNED_SHAPE.format(
            rank=rank, got=tuple(got.shape), wanted=tuple(wanted.shape)
        )
    wrong = (got != wanted).reshape(-1)
    if not bool(wrong.any()):
        return None
    first = int(wrong.nonzero().reshape(-1)[0])
    return words.RETURNED_VALUES.format(
        rank=rank,
        count=int(wrong.sum()),
        total=got.numel(),
        element=first,
        **_pair(got.reshape(-1)[first], wanted.reshape(-1)[first]),
    )


def _changed_argument(case: Case, results: list[CaseResult]) -> Problem | None:
    for rank, result in enumerate(results):
        for before, after in zip(case.arguments[rank], result.arguments, strict=True):
            for was, now in zip(tensors_in(before), tensors_in(after), strict=True):
                if not was.is_meta and not torch.equal(was, now):
                    return Problem(words.INPUT_CHANGED.format(rank=rank), rank)
    return None


def differs(got: Tensor, expected: Tensor, allowed: Tensor) -> Tensor:
    """Elementwise: further from `expected` than `allowed`, or not a number."""
    if not got.dtype.is_floating_point:
        return got != expected
    return ~((got.double() - expected).abs() <= allowed)


def _pair(got: Tensor, expected: Tensor) -> dict[str, str]:
    """Both numbers with as many digits as it takes to tell them apart."""
    numbers = got.item(), expected.item()
    if isinstance(numbers[0], float):
        for digits in (6, 9, 17):
            texts = [f"{number:.{digits}g}" for number in numbers]
            if texts[0] != texts[1]:
                break
    else:
        texts = [str(number) for number in numbers]
    return {"got": texts[0], "expected": texts[1]}


def spoiled(results: list[CaseResult]) -> Problem | None:
    """A tensor that was changed in more than its values."""
    for rank, result in enumerate(results):
        if result.spoiled:
            return Problem(words.SPOILED.format(rank=rank, what="; ".join(result.spoiled)), rank)
    return None


def _returned_something(results: list[CaseResult]) -> Problem | None:
    for rank, result in enumerate(results):
        if result.returned is not None:
            return Problem(words.RETURNED_SOMETHING, rank)
    return None


def chunk_elements(elements: int, world_size: int) -> int:
    """Elements of the largest chunk."""
    return math.ceil(elements / world_size)
