"""Judging run_worker: on ranks of its own, once as it is, then with its collectives spoiled."""

from __future__ import annotations

import ast
import itertools
import secrets
from collections.abc import Iterator
from typing import Any

import torch

from ringlab.grading.cases import Problem, pick
from ringlab.grading.trial import Attempt, Tried
from ringlab.grading.turns import FUNCTIONAL, file_name
from ringlab.grading.worker_turns import FEATURE, GRADIENT
from ringlab.plain import plain
from ringlab.words import autograder as words
from ringlab.words import judge as judge_words
from ringlab.world.client import Ranks, Turn
from ringlab.world.explain import explain
from ringlab.world.wire import Header

IMPORT_SECONDS = 60.0
TURNS = "ringlab.grading.worker_turns:"
# What is spoiled -> elements that a rank brings to it.
BROUGHT = {"all_reduce": GRADIENT, "all_gather": FEATURE}
GROUPS = {"all_reduce": words.GROUP_GRADIENT, "all_gather": words.GROUP_FEATURES}
# GPUs that the machine is said to have, ranks that are to be started on it, the right backend.
MACHINES = ((2, 2, "nccl"), (8, 4, "nccl"), (1, 2, "gloo"), (3, 4, "gloo"), (0, 2, "gloo"))

Told = list[Header]
"""What each rank tells of one call."""


def try_worker(attempt: Attempt) -> Iterator[Tried]:
    """Every promise of run_worker, those on which others rest first."""
    told: dict[int, Told] = {}
    for world_size in (1, pick(attempt.generator, 3, 4)):
        with _Workers(attempt, world_size) as workers:
            told[world_size], problem = workers.run()
        yield Tried(_runs_on(world_size), problem)
        if problem is not None:
            return
    with _Workers(attempt, 2) as pair:
        told[2], problem = pair.run()
        yield Tried(_runs_on(2), problem)
        if problem is not None:
            return
        yield Tried(words.TRAFFIC_SENT, _unsent(told), "traffic")
        yield Tried(words.GROUP_MEAN, _no_mean(told, attempt.source))
        for operation, name in GROUPS.items():
            yield Tried(name, pair.unnoticed(operation))
        yield Tried(words.GROUP_ERRORS, pair.swallowed())
        yield Tried(words.GROUP_LEAVES, _left(told) or pair.left)
        yield Tried(words.GROUP_BACKEND, pair.wrong_backend())


def _runs_on(world_size: int) -> str:
    if world_size == 1:
        return words.GROUP_RUNS_ON_ONE
    return words.GROUP_RUNS_ON.format(world_size=world_size)


class _Workers:
    """Ranks without a group that run the answer. left: a group that was left after a failure."""

    def __init__(self, attempt: Attempt, world_size: int) -> None:
        self.attempt = attempt
        self.world_size = world_size
        self.left: Problem | None = None
        self.gone: Problem | None = self._start()

    def _start(self) -> Problem | None:
        """Start the ranks and run the cell there; what is wrong with it."""
        attempt = self.attempt
        self.ranks = Ranks(self.world_size, start=attempt.start, group=False)
        policy = attempt.exercise.rules().policy
        allowed = {"modules": policy.modules, "builtins": sorted(policy.builtins)}
        turn = self._turn(
            "load", attempt.source.encode(), exercise=attempt.exercise.id, policy=allowed
        )
        if turn.ended == "returned":
            return None
        what = self._explain(turn)
        return Problem(judge_words.CELL_RAISED.format(what=what.message), None, what.line)

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.ranks.close()

    def _turn(self, name: str, payload: bytes = b"", **header: Any) -> Turn:
        asked = [({"do": TURNS + name, **header}, payload)] * self.world_size
        # What functional collectives import takes longer than a call may.
        more = IMPORT_SECONDS if name == "load" and FUNCTIONAL in self.attempt.source else 0
        return self.ranks.turn(asked, self.attempt.exercise.deadline + more)

    def _explain(self, turn: Turn) -> Problem:
        exercise, source = self.attempt.exercise, self.attempt.source
        own = file_name(exercise.id)
        failure = explain(turn, exercise.id, exercise.deadline, lambda f: f == own, source)
        if failure.is_unwritten:
            return Problem(judge_words.NOT_WRITTEN, None, failure.line)
        rank = failure.guilty[0] if failure.guilty else None
        return Problem(failure.text(), rank, failure.line)

    def call(self, spoil: Header | None) -> Told | None:
        """Call run_worker on every rank; what each tells, None if they did not come to an end.

        A call that hangs is tried once more on new ranks: a machine that lets ranks wait for the
        processor looks the same.
        """
        if self.gone is not None:
            return None
        turn = self._work(spoil)
        if turn.ended in ("hung", "deadline"):
            self.ranks.close()
            self.gone = self._start()
            if self.gone is not None:
                return None
            turn = self._work(spoil)
        if turn.ended != "returned":
            self.gone = self._explain(turn)
            return None
        return [outcome.header for outcome in turn.outcomes]

    def _work(self, spoil: Header | None) -> Turn:
        # Nobody listens at that port: the ranks are led to each other in another way.
        port = pick(self.attempt.generator, 20_000, 60_000)
        nonce = secrets.token_hex(8)
        turn = self._turn("work", nonce=nonce, port=port, spoil=spoil)
        if turn.ended == "returned" and any(o.header.get("nonce") != nonce for o in turn.outcomes):
            turn.ended = "failed"
        return turn

    def run(self) -> tuple[Told, Problem | None]:
        """One call as it is: everybody must return."""
        told = self.call(None)
        if told is None:
            return [], self.gone
        return told, self._failed(told)

    def _failed(self, told: Told) -> Problem | None:
        n = _ranks(self.world_size)
        for rank, each in enumerate(told):
            if each["problem"]:
                return Problem(str(each["problem"]), rank, each["line"])
            if each["changed"] is not None:
                name = plain(each["changed"], 80)
                return Problem(judge_words.CHANGED_TORCH.format(rank=rank, name=name), rank)
        # A rank that fails takes its neighbours' connections down: theirs are consequences.
        failed = [rank for rank, each in enumerate(told) if each["how"]["end"] != "returned"]
        failed.sort(key=lambda rank: _is_consequence(told[rank]["how"]))
        for rank in failed:
            how = told[rank]["how"]
            line = self._line(how)
            if how["type"] == "NotImplementedError":
                return Problem(judge_words.NOT_WRITTEN, None, line)
            if how["exit"]:
                return Problem(words.ENDED.format(ranks=n, rank=rank), rank, line)
            message = plain(how["message"].split("\n")[0], 300)
            says = words.RAISED.format(
                ranks=n, rank=rank, type=plain(how["type"], 80), message=message
            )
            return Problem(says.rstrip(": "), rank, line)
        for rank, each in enumerate(told):
            if not each["joined"]:
                return Problem(words.NEVER_JOINS.format(ranks=n, rank=rank), rank)
        return None

    def _line(self, how: Header) -> int | None:
        own = file_name(self.attempt.exercise.id)
        lines = [frame[1] for frame in how["frames"] if frame[0] == own]
        return lines[-1] if lines else None

    def unnoticed(self, operation: str) -> Problem | None:
        """Spoil one element on each rank in turn; the rank has to raise.

        Of an all_gather one in every piece, of an all_reduce one in each half: who looks at a part
        must not get away with it by luck.
        """
        noticed: list[int] = []
        silent: tuple[int, int] | None = None
        pieces = self.world_size if operation == "all_gather" else 2
        size = BROUGHT[operation] if operation == "all_gather" else BROUGHT[operation] // 2
        for rank, piece in itertools.product(range(self.world_size), range(pieces)):
            # Not among the first, which is where people look.
            element = piece * size + pick(self.attempt.generator, size // 4, size - 1)
            told = self.call(
                {
                    "name": operation,
                    "elements": BROUGHT[operation],
                    "how": "value",
                    "rank": rank,
                    "element": element,
                }
            )
            if told is None:
                return self.gone
            self._keep_left(told)
            if told[rank]["how"]["end"] != "returned":
                noticed.append(rank)
            elif silent is None:
                silent = rank, element
        if silent is None:
            return None
        rank, element = silent
        why, line = self._why(noticed)
        message = words.NOT_NOTICED.format(
            rank=rank, world_size=self.world_size, element=element, operation=operation, why=why
        )
        return Problem(message, rank, line)

    def _why(self, noticed: list[int]) -> tuple[str, int | None]:
        """What may be the reason that a spoiled element is not noticed, and its line."""
        tree = ast.parse(self.attempt.source)
        asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        for node in asserts:
            if isinstance(node.test, ast.Tuple) and node.test.elts:
                return words.WHY_TUPLE.format(line=node.lineno), node.lineno
        if noticed:
            return words.WHY_ONE_RANK.format(rank=noticed[0]), None
        if not asserts and not any(isinstance(node, ast.Raise) for node in ast.walk(tree)):
            return words.WHY_NO_ASSERT, None
        return words.WHY_LOOK, None

    def _keep_left(self, told: Told) -> None:
        for rank, each in enumerate(told):
            how = each["how"]
            if each["left"] and how["end"] != "returned" and self.left is None:
                message = words.GROUP_LEFT_AFTER.format(type=plain(how["type"], 80), rank=rank)
                self.left = Problem(message, rank, self._line(how))

    def swallowed(self) -> Problem | None:
        """Have each collective raise an error in place of its work; everybody has to raise."""
        for operation, elements in BROUGHT.items():
            told = self.call({"name": operation, "elements": elements, "how": "error"})
            if told is None:
                return self.gone
            self._keep_left(told)
            for rank, each in enumerate(told):
                if each["how"]["end"] == "returned":
                    text = words.ERROR_SWALLOWED.format(operation=operation, rank=rank)
                    return Problem(text, rank)
        return None

    def wrong_backend(self) -> Problem | None:
        """Which backend it asks for on machines with many and with few GPUs."""
        if self.gone is not None:
            return self.gone
        for gpus, ranks, wanted in MACHINES:
            nonce = secrets.token_hex(8)
            turn = self._turn("choose", nonce=nonce, gpus=gpus, world_size=ranks)
            if turn.ended != "returned":
                return self._explain(turn)
            for outcome in turn.outcomes:
                # None asked for: torch takes the right one for each device. Nothing at all: the
                # answer has tried to use a GPU, and nothing is known.
                asked = [name for name in outcome.header["asked"] if name]
                if asked and wanted not in asked[0].lower():
                    text = words.WRONG_BACKEND.format(
                        gpus=_counted(gpus, words.GPUS),
                        ranks=_ranks(ranks),
                        backend=plain(asked[0], 40),
                        wanted=wanted,
                    )
                    return Problem(text)
        return None


def _counted(count: int, forms: tuple[str, str, str]) -> str:
    return forms[min(count, 2)].format(count=count)


def _ranks(count: int) -> str:
    return _counted(count, words.RANKS)


def _is_consequence(how: Header) -> bool:
    text = f"{how['type']} {how['message']}"
    return any(sign in text for sign in ("onnection", "gloo", "DistNetworkError"))


def _unsent(told: dict[int, Told]) -> Problem | None:
    """A gradient or a feature that no collective carried."""
    for world_size, ranks in told.items():
        for rank, each in enumerate(ranks):
            brought = [(op["name"], one) for op in each["seen"] for one in op["brings"]]
            # Divided beforehand is fine too, in whatever precision.
            whole, part = float(rank + 1), (rank + 1) / world_size
            if not _brings(brought, "all_reduce", GRADIENT, (whole, part)):
                text, value = words.NO_GRADIENT, rank + 1
            elif not _brings(brought, "all_gather", FEATURE, (float(rank),)):
                text, value = words.NO_FEATURE, rank
            else:
                continue
            seen = ", ".join(_in_words(*one) for one in brought) or words.NOTHING_BROUGHT
            message = text.format(ranks=_ranks(world_size), rank=rank, value=value, seen=seen)
            return Problem(message, rank, each["line"])
    return None


def _brings(
    brought: list[tuple[str, Header]], name: str, elements: int, values: tuple[float, ...]
) -> bool:
    wanted = torch.tensor(values, dtype=torch.float64)
    return any(
        operation.startswith(name)
        and one["elements"] == elements
        and one["value"] is not None
        and bool(((wanted - one["value"]).abs() < 1e-2).any())
        for operation, one in brought
    )


def _in_words(name: str, one: Header) -> str:
    if one["value"] is None:
        return words.BROUGHT_MIXED.format(count=one["elements"], name=name)
    return words.BROUGHT.format(count=one["elements"], value=f"{one['value']:g}", name=name)


def _no_mean(told: dict[int, Told], source: str) -> Problem | None:
    """No tensor with the mean was ever computed.

    What takes numbers out of tensors can compute it out of sight, and is believed.
    """
    if any(name in source for name in ("tolist", "numpy", "item(")):
        return None
    for world_size, ranks in told.items():
        for rank, each in enumerate(ranks):
            if not each["mean"] and world_size > 1:
                mean = (world_size + 1) / 2
                text = words.NO_MEAN.format(ranks=_ranks(world_size), rank=rank, mean=mean)
                return Problem(text, rank)
    return None


def _left(told: dict[int, Told]) -> Problem | None:
    for world_size, ranks in told.items():
        for rank, each in enumerate(ranks):
            if each["left"]:
                text = words.GROUP_LEFT.format(ranks=_ranks(world_size), rank=rank)
                return Problem(text, rank)
    return None
