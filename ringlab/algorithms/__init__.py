"""Algorithms: each file here makes a Schedule, in a function named like the file.

A new file is found by itself. ``ring(4)`` is then ``ringlab.algorithms.ring(4)``, its name is in
``names()``, and ``get(name)`` gives the function.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from ringlab.schedule import Schedule
from ringlab.words import schedule as words

Algorithm = Callable[..., Schedule]

_found: dict[str, Algorithm] = {}
for _file in pkgutil.iter_modules(__path__):
    if not _file.name.startswith("_"):
        _module = importlib.import_module(f"{__name__}.{_file.name}")
        _found[_file.name] = getattr(_module, _file.name)

# Importing a file made its name here mean the module. Learners call the function.
globals().update(_found)


def names() -> tuple[str, ...]:
    """The names of all algorithms, sorted."""
    return tuple(sorted(_found))


def get(name: str) -> Algorithm:
    """The function that makes the schedule. Raises ValueError for a name that is not there."""
    if name not in _found:
        known = ", ".join(names())
        raise ValueError(words.UNKNOWN_ALGORITHM.format(name=name, known=known))
    return _found[name]


def __getattr__(name: str) -> Algorithm:
    raise AttributeError(words.UNKNOWN_ALGORITHM.format(name=name, known=", ".join(names())))
