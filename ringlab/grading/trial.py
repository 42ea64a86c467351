"""Exercises whose answers are not called on the ranks of a ready group, but tried in a way of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ringlab.grading.cases import Problem
from ringlab.grading.verdict import Layer

if TYPE_CHECKING:
    from ringlab.catalog.exercise import Exercise


@dataclass(frozen=True)
class Attempt:
    """One answer that is to be tried.

    source     the whole cell
    generator  what is drawn for this judgement is drawn from it
    start      "auto", "fork" or "spawn", as in `ringlab.run`
    thorough   go on after something has failed
    """

    exercise: Exercise
    source: str
    generator: torch.Generator
    start: str = "auto"
    thorough: bool = False


@dataclass(frozen=True)
class Tried:
    """One promise: whether it was kept. problem: None when it was. ran: False if never tried."""

    name: str
    problem: Problem | None = None
    layer: Layer = "behaviour"
    ran: bool = True


Trial = Callable[[Attempt], Iterator[Tried]]
"""Tries the promises one after the other, and stops when the next make no sense any more."""
