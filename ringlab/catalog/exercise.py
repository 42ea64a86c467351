"""The type of a catalog entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ringlab.grading.cases import Case, Evidence
    from ringlab.grading.source import SourceRules
    from ringlab.grading.traffic import Traffic
    from ringlab.grading.trial import Trial


@dataclass(frozen=True)
class Mistake:
    """A recogniser: what it says where it knows the mistake, else None. It never decides."""

    name: str
    recognise: Callable[[Evidence], str | None]


@dataclass(frozen=True)
class Exercise:
    """One exercise: what is asked, how it is judged, what is said when it is wrong.

    id        name of the function or class, of the solution file and of this catalog file
    task      Markdown, shown above the TODO cell
    hints     Markdown, folded, from gentle to plain
    rules     what the source must and must not do
    worlds    world sizes that are tried; a tuple among them stands for one of its numbers
    cases     world size -> the cases tried on it, values drawn anew each time
    trial     how it is tried, where calls on the ranks of a ready group won't do
    ranks     False for exercises in plain Python, which run in one process without a group
    traffic   the budget, or None
    mistakes  recognisers for feedback
    replay    (world size, elements, further arguments) of the run that is shown with a right
              answer, or None
    collective   what a watched run is read as, "all_reduce" or "broadcast"; None: it can't be read
    deadline  seconds that one case may take
    """

    id: str
    lesson: int
    points: int
    title: str
    task: str
    hints: tuple[str, ...]
    rules: Callable[[], SourceRules]
    worlds: tuple[int | tuple[int, ...], ...]
    cases: Callable[[int, Any], list[Case]]
    ranks: bool = True
    trial: Callable[[], Trial] | None = None
    traffic: Callable[[], Traffic] | None = None
    mistakes: tuple[Mistake, ...] = ()
    replay: tuple[int, ...] | None = None
    collective: str | None = "all_reduce"
    deadline: float = 10.0
