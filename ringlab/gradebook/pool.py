"""The workers: as many as there are jobs, replaced when they die, ended when a task takes too long.

This process imports no torch. What it keeps of a class is a list of tasks.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from ringlab.gradebook import worker
from ringlab.words import gradebook as words

START_SECONDS = 180.0
# A judgement has a deadline of its own, 120 s, by spawn 600; private cases are a second one. This
# is for a judge that is stuck itself.
TASK_SECONDS, SPAWN_TASK_SECONDS = 420.0, 1500.0
POLL_SECONDS = 0.25
MOST_STARTS_IN_VAIN = 3

Task = dict[str, Any]
Answer = dict[str, Any]


class PoolError(Exception):
    """No worker can be had; one sentence."""


@dataclass
class _Worker:
    process: Any
    connection: Connection
    since: float = field(default_factory=time.monotonic)
    ready: bool = False
    task: Task | None = None

    def deadline(self, seconds: float) -> float:
        """When it is taken for stuck. seconds: that a task may take which says nothing else."""
        if not self.ready:
            return self.since + START_SECONDS
        return self.since + float((self.task or {}).get("seconds", seconds))


class Pool:
    """Workers that judge. Use it in a `with` block; all of them are gone after it.

    settings: as `worker.main` takes them. started: told once which protection is in force.
    """

    def __init__(
        self, jobs: int, settings: dict[str, Any], started: Callable[[dict[str, Any]], None]
    ) -> None:
        self.jobs = jobs
        self.settings = settings
        self._started = started
        self._told = False
        self._in_vain = 0
        spawns = settings.get("start") == "spawn"
        self._seconds = SPAWN_TASK_SECONDS if spawns else TASK_SECONDS
        self._workers: list[_Worker] = []
        self._context = _context()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for each in list(self._workers):
            self._end(each)
        _end_server()

    @property
    def pids(self) -> list[int]:
        """The workers' processes."""
        return [each.process.pid for each in self._workers]

    def run(
        self,
        next_task: Callable[[bool], Task | None],
        done: Callable[[Task, Answer | None], None],
        tick: Callable[[], None],
    ) -> None:
        """Work until there is nothing to do.

        next_task: gives a task or None; it is told whether no other task is under way. done: gets
        each task with its answer, None if its worker died or took too long. tick: called some times
        a second. Raises PoolError.
        """
        while True:
            self._hand_out(next_task)
            busy = [each for each in self._workers if each.task is not None]
            if not busy and not self._wanted(next_task):
                return
            waiting = [each for each in self._workers if each.task is not None or not each.ready]
            ready = wait([each.connection for each in waiting], POLL_SECONDS)
            for each in waiting:
                if each.connection in ready:
                    self._listen(each, done)
                elif time.monotonic() > each.deadline(self._seconds):
                    self._lose(each, done)
            tick()

    def _wanted(self, next_task: Callable[[bool], Task | None]) -> bool:
        """Whether a task waits for a worker that is only starting; it is kept until one is."""
        self._kept = self._take(next_task)
        return self._kept is not None

    _kept: Task | None = None

    def _take(self, next_task: Callable[[bool], Task | None]) -> Task | None:
        task, self._kept = self._kept, None
        if task is None:
            task = next_task(all(each.task is None for each in self._workers))
        return task

    def _hand_out(self, next_task: Callable[[bool], Task | None]) -> None:
        for each in self._workers:
            if each.ready and each.task is None:
                task = self._take(next_task)
                if task is None:
                    return
                each.task, each.since = task, time.monotonic()
                with contextlib.suppress(OSError):  # if it has died, its silence will say so
                    each.connection.send_bytes(json.dumps(task).encode())
        if len(self._workers) < self.jobs:
            task = self._take(next_task)
            if task is not None:
                self._kept = task
                self._begin()

    def _begin(self) -> None:
        ours, theirs = multiprocessing.Pipe()
        # Not a daemon: those may start no processes.
        process = self._context.Process(target=worker.main, args=(theirs, self.settings))
        try:
            process.start()
        except (OSError, EOFError) as error:
            raise PoolError(words.NO_WORKER.format(reason=error)) from None
        finally:
            theirs.close()
        self._workers.append(_Worker(process, ours))

    def _listen(self, each: _Worker, done: Callable[[Task, Answer | None], None]) -> None:
        try:
            answer = json.loads(each.connection.recv_bytes())
        except (EOFError, OSError):
            self._lose(each, done)
            return
        if "refused" in answer:
            raise PoolError(answer["refused"])
        if "ready" in answer:
            each.ready, self._in_vain = True, 0
            if not self._told:
                self._told = True
                self._started(answer["ready"])
            return
        task, each.task = each.task, None
        if task is not None:
            done(task, answer)

    def _lose(self, each: _Worker, done: Callable[[Task, Answer | None], None]) -> None:
        """A worker that died or is stuck is ended; another takes its place."""
        task, started = each.task, each.ready
        self._end(each)
        if not started:
            self._in_vain += 1
            if self._in_vain >= MOST_STARTS_IN_VAIN:
                raise PoolError(words.NO_WORKER.format(reason=words.WORKER_ENDED))
        if task is not None:
            done(task, None)

    def _end(self, each: _Worker) -> None:
        self._workers.remove(each)
        each.connection.close()
        with contextlib.suppress(OSError, AttributeError):
            # Its host and its ranks see their connection close, and end.
            os.kill(each.process.pid, signal.SIGKILL)
        each.process.join()
        each.process.close()


def _context() -> Any:
    """Workers are forked from a server with torch in it, where forking is safe."""
    if not sys.platform.startswith("linux"):
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ringlab.gradebook.preload"])
    # The server gets the environment of its start: one thread, so that it is safe to fork.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    return context


def _end_server() -> None:
    """End the server that the workers were forked from; it would live as long as this process."""
    if sys.platform.startswith("linux"):
        from multiprocessing import forkserver

        with contextlib.suppress(Exception):
            forkserver._forkserver._stop()  # type: ignore[attr-defined]
