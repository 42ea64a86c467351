"""Workers that die or are stuck cost one answer a second try, and nobody else anything."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections import deque
from multiprocessing.connection import Connection
from typing import Any

import psutil
import pytest

from ringlab.gradebook import pool as pools
from ringlab.gradebook import worker
from ringlab.gradebook.pool import Pool, PoolError


def _fake(connection: Connection, settings: dict[str, Any]) -> None:
    """A worker that does what its tasks say."""
    if settings.get("dies"):
        os._exit(1)
    if settings.get("refuses"):
        connection.send_bytes(json.dumps({"refused": "no cases"}).encode())
        return
    connection.send_bytes(json.dumps({"ready": {"name": "none"}}).encode())
    while True:
        try:
            task = json.loads(connection.recv_bytes())
        except EOFError:
            os._exit(0)
        if task["do"] == "die":
            os._exit(3)
        time.sleep(60 if task["do"] == "hang" else 0.01)
        connection.send_bytes(json.dumps({"pid": os.getpid()}).encode())


@pytest.fixture(autouse=True)
def fake_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "main", _fake)
    monkeypatch.setattr(pools, "_context", lambda: multiprocessing.get_context("fork"))


def done_by(tasks: list[str], jobs: int = 2, **settings: Any) -> list[tuple[str, Any]]:
    waiting = deque({"do": kind, "seconds": 0.5} for kind in tasks)
    done: list[tuple[str, Any]] = []
    told: list[Any] = []
    with Pool(jobs, settings, told.append) as pool:
        pool.run(
            lambda alone: waiting.popleft() if waiting else None,
            lambda task, answer: done.append((task["do"], answer)),
            lambda: None,
        )
        pids = pool.pids
    assert len(told) == 1 and len(pids) <= jobs
    assert not [pid for pid in pids if psutil.pid_exists(pid)]
    return done


def test_every_task_is_done_once_by_several_workers() -> None:
    done = done_by(["ok"] * 40)
    assert len(done) == 40
    assert len({answer["pid"] for _, answer in done}) == 2


def test_a_worker_that_dies_is_replaced_and_its_task_comes_back() -> None:
    done = done_by(["ok", "die", "ok", "die", "ok", "ok"])
    assert sorted(kind for kind, answer in done if answer is None) == ["die", "die"]
    assert sum(answer is not None for _, answer in done) == 4


def test_a_task_that_takes_too_long_holds_up_nobody() -> None:
    begun = time.monotonic()
    done = done_by(["hang", *["ok"] * 10])
    assert [kind for kind, answer in done if answer is None] == ["hang"]
    assert done[0][0] == "ok" and time.monotonic() - begun < 10


def test_no_more_workers_than_tasks() -> None:
    assert len({answer["pid"] for _, answer in done_by(["ok"], jobs=8)}) == 1


def test_a_task_that_waits_to_be_alone_is_alone() -> None:
    waiting = deque([{"do": "ok"}] * 4)
    last = deque([{"do": "ok", "alone": True}] * 2)
    running: list[bool] = []

    def next_task(alone: bool) -> Any:
        if waiting:
            return waiting.popleft()
        if last and alone:
            running.append(True)
            return last.popleft()
        return None

    def done(task: Any, answer: Any) -> None:
        if task.get("alone"):
            assert running == [True]
            running.clear()

    with Pool(3, {}, lambda told: None) as pool:
        pool.run(next_task, done, lambda: None)
    assert not last


@pytest.mark.parametrize(("setting", "says"), [("dies", "ends at once"), ("refuses", "no cases")])
def test_workers_that_cant_begin_are_one_sentence(setting: str, says: str) -> None:
    with pytest.raises(PoolError, match=says), Pool(2, {setting: True}, lambda told: None) as pool:
        pool.run(lambda alone: {"do": "ok"}, lambda task, answer: None, lambda: None)
