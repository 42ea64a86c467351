"""The catalog of exercises: one file each, found by itself."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ringlab.catalog.exercise import Exercise as Exercise

_NOT_EXERCISES = {"exercise", "mistakes", "private", "shared"}


@cache
def _names() -> tuple[str, ...]:
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in found if name not in _NOT_EXERCISES))


def get(exercise_id: str) -> Exercise:
    """The exercise with this name. Raises KeyError, naming those that exist."""
    if exercise_id not in _names():
        raise KeyError(f"no exercise {exercise_id!r}; there are: {', '.join(_names())}")
    module = importlib.import_module(f"ringlab.catalog.{exercise_id}")
    entry: Exercise = module.EXERCISE
    return entry


def all_exercises() -> list[Exercise]:
    """Every exercise, by lesson and then by name."""
    return sorted(map(get, _names()), key=lambda exercise: (exercise.lesson, exercise.id))
