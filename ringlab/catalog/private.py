'''Cases and exercises in an instructor's hands, which learners never see.

`./course grade --private-cases FOLDER` reads every `FOLDER/<id>.py`. Where `<id>` is an exercise of
the course, the file adds cases to it:

    """Private cases of ring_all_reduce: 9 ranks, and a prime number of elements."""

    import torch

    from ringlab.grading.cases import sum_over_ranks, tensor_cases

    WORLDS = (9,)


    def cases(world_size, generator):
        shapes = {"prime sizes": [(97,), (101,)]}
        return tensor_cases(
            world_size, generator, sum_over_ranks, shapes=shapes, dtypes=[torch.float32]
        )

Where it is not, the file defines a new exercise: `EXERCISE = Exercise(...)`, as the files of
`ringlab/catalog` do.

The course's own cases are judged first, and their report is what `./course check` says. The private
ones are judged after them, on ranks of their own. A learner reads whether they passed, and nothing
else; a rank gets what any rank gets, the arguments of one call.
'''

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from ringlab import catalog
from ringlab.catalog.exercise import Exercise
from ringlab.plain import plain
from ringlab.words import gradebook as words


class BadPrivateCases(Exception):
    """A folder of private cases that can't be used; one sentence."""


@dataclass(frozen=True)
class Private:
    """What a folder holds.

    added: exercise of the course -> the same exercise with the private cases in place of its own.
    exercises: new ones, by id.
    """

    added: Mapping[str, Exercise]
    exercises: Mapping[str, Exercise]

    def get(self, exercise_id: str) -> Exercise:
        """An exercise of the folder or of the course. Raises KeyError."""
        return self.exercises.get(exercise_id) or catalog.get(exercise_id)

    def ids(self) -> list[str]:
        """Every exercise that can be graded: the course's by lesson, then the new ones."""
        return [each.id for each in catalog.all_exercises()] + sorted(self.exercises)


NONE = Private({}, {})


def load(folder: Path | None) -> Private:
    """Read a folder of private cases. Raises BadPrivateCases."""
    if folder is None:
        return NONE
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".py")
    except OSError as error:
        raise BadPrivateCases(
            words.PRIVATE_UNREADABLE.format(folder=folder, reason=error.strerror)
        ) from None
    if not files:
        raise BadPrivateCases(words.PRIVATE_EMPTY.format(folder=folder))
    known = {each.id: each for each in catalog.all_exercises()}
    added, exercises = {}, {}
    for path in files:
        module = _imported(path)
        if path.stem in known:
            added[path.stem] = _with_cases(known[path.stem], module, path)
        else:
            exercises[path.stem] = _new(module, path)
    return Private(added, exercises)


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ringlab_private_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    write, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        reason = plain(f"{type(error).__name__}: {error}", 300)
        raise BadPrivateCases(words.PRIVATE_BROKEN.format(file=path, reason=reason)) from None
    finally:
        sys.dont_write_bytecode = write
    return module


def _with_cases(exercise: Exercise, module: ModuleType, path: Path) -> Exercise:
    cases = getattr(module, "cases", None)
    if not callable(cases):
        raise BadPrivateCases(words.PRIVATE_NO_CASES.format(file=path, exercise=exercise.id))
    worlds = tuple(getattr(module, "WORLDS", exercise.worlds))
    # The report's picture is of the course's own run.
    return replace(exercise, worlds=worlds, cases=cases, replay=None)


def _new(module: ModuleType, path: Path) -> Exercise:
    exercise = getattr(module, "EXERCISE", None)
    if not isinstance(exercise, Exercise) or exercise.id != path.stem:
        raise BadPrivateCases(words.PRIVATE_NO_EXERCISE.format(file=path, exercise=path.stem))
    return exercise
