"""Judging answers: verdicts, their reasons, and what must never decide one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch

from ringlab import catalog
from ringlab.grading import judge as judging
from ringlab.grading.cases import Case, CaseResult, draw, sum_over_ranks, wrong_values
from ringlab.grading.check import CheckFailed, check
from ringlab.grading.command import check_files
from ringlab.grading.judge import judge, read_result
from ringlab.world.client import MachineryError

HOME = Path(__file__).parents[2]
RING = catalog.get("ring_all_reduce")
REFERENCE = (HOME / "solutions" / "ring_all_reduce.py").read_text()
ANSWERS = HOME / "tests" / "answers" / "ring_all_reduce"


def wrong(name: str) -> str:
    return (ANSWERS / "wrong" / f"{name}.py").read_text()


def small(exercise: catalog.Exercise) -> catalog.Exercise:
    """The same exercise on two world sizes, for tests that start ranks anew each time."""
    import dataclasses

    return dataclasses.replace(exercise, worlds=(3, 2))


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        (REFERENCE, "passed"),
        (wrong("remainder_dropped"), "failed"),
        (wrong("everyone_sends_first"), "failed"),
        (wrong("buffer_as_long_as_the_last_chunk"), "failed"),
    ],
    ids=["reference", "remainder_dropped", "everyone_sends_first", "gloo_aborts"],
)
def test_spawn_and_fork_give_the_same_verdict(source: str, verdict: str) -> None:
    # One seed: which promises a wrong answer breaks may depend on the sizes drawn.
    forked = judge(small(RING), source, start="fork", seed=4)
    spawned = judge(small(RING), source, start="spawn", seed=4)
    assert forked.verdict == spawned.verdict == verdict
    names = [[(c.layer, c.name, c.passed) for c in report.checks] for report in (forked, spawned)]
    assert names[0] == names[1]


def test_broken_machinery_is_never_a_pass_and_never_the_learners_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise MachineryError("the supervisor ended")

    monkeypatch.setattr(judging, "Ranks", broken)
    report = judge(RING, REFERENCE)
    assert report.verdict == "could not be judged"
    assert "not your answer" in report.failures[0].message


def test_after_a_hang_the_next_answer_is_judged() -> None:
    assert judge(RING, wrong("everyone_sends_first")).verdict == "failed"
    assert judge(RING, REFERENCE).verdict == "passed"


def test_a_megabyte_of_prints_changes_nothing() -> None:
    loud = REFERENCE.replace("    ### BEGIN SOLUTION\n", "    print('x' * 1_000_000)\n")
    assert judge(small(RING), loud).verdict == "passed"


def test_the_failed_run_itself_is_there_to_be_replayed() -> None:
    report = judge(RING, wrong("remainder_dropped"))
    assert report.playback is not None
    assert not report.playback.is_right
    assert report.playback.source == wrong("remainder_dropped")


def one_case(world_size: int = 2, elements: int = 3) -> Case:
    generator = torch.Generator().manual_seed(1)
    tensors = [(draw((elements,), torch.float32, generator),) for _ in range(world_size)]
    return Case("x", "x", world_size, tensors, sum_over_ranks)


def header(nonce: str = "n", **more: Any) -> dict[str, Any]:
    plain = {
        "nonce": nonce,
        "arguments": [{"spoiled": []}],
        "returned": {"kind": "none"},
        "shares": False,
        "refused": False,
        "stale": False,
    }
    return {**plain, **more}


@pytest.mark.parametrize(
    ("forged", "payload"),
    [
        (header("of another run"), bytes(12)),
        (header(), bytes(11)),
        (header(), bytes(13)),
        (header(arguments=[]), bytes(12)),
        ({}, bytes(12)),
        (header(returned={"kind": "tensor", "nbytes": 1 << 40}), bytes(12)),
        (header(returned={"kind": "value", "value": {"a": 1}}), bytes(12)),
    ],
)
def test_a_forged_result_is_refused(forged: dict[str, Any], payload: bytes) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, RuntimeError)):
        read_result(one_case(), 0, forged, payload, "n")


def test_a_true_result_is_read() -> None:
    tensor = torch.tensor([1.0, 2.0, 3.0])
    result = read_result(one_case(), 0, header(), tensor.numpy().tobytes(), "n")
    assert torch.equal(result.arguments[0], tensor)


def test_an_infinite_or_missing_number_is_wrong() -> None:
    case = one_case()
    total = case.arguments[0][0].double() + case.arguments[1][0].double()
    for value in (float("nan"), float("inf")):
        got = total.float()
        got[1] = value
        results = [CaseResult([got], None), CaseResult([got], None)]
        problem = wrong_values(case, results, [(total, torch.full_like(total, 1e-3))])
        assert problem is not None and "element 1" in problem.message


def test_a_lost_contribution_shows_in_every_dtype() -> None:
    generator = torch.Generator().manual_seed(2)
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64):
        tensors = [(draw((9,), dtype, generator),) for _ in range(5)]
        case = Case("x", "x", 5, tensors, sum_over_ranks)
        for lost in range(5):
            kept = [t for rank, (t,) in enumerate(tensors) if rank != lost]
            total = torch.stack(kept).sum(dim=0, dtype=dtype)
            results = [CaseResult([total.clone()], None) for _ in range(5)]
            problem = sum_over_ranks(case, results)
            assert problem is not None and "9 of 9" in problem.message


def test_check_shows_the_report_and_raises_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def who_am_i() -> None:
        return None

    with pytest.raises(CheckFailed) as caught:
        check(who_am_i)
    assert "\n" not in str(caught.value)
    assert caught.value._render_traceback_() == [str(caught.value)]


def test_check_passes_in_silence_but_for_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, Any] = {}
    file = HOME / "solutions" / "who_am_i.py"
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    check(namespace["who_am_i"])
    assert "who_am_i" in capsys.readouterr().out


@pytest.mark.parametrize("thing", ["ring_all_reduce", 3, None])
def test_check_of_something_else_says_how_to_call_it(thing: Any) -> None:
    with pytest.raises(CheckFailed, match="the function itself"):
        check(thing)


def test_check_of_an_unknown_name_lists_the_exercises() -> None:
    def my_ring() -> None: ...

    with pytest.raises(CheckFailed, match="ring_all_reduce"):
        check(my_ring)


def notebook(tmp_path: Path, *cells: str) -> Path:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    path = tmp_path / "answer.ipynb"
    nbformat.write(book, path)
    return path


def judged(capsys: pytest.CaptureFixture[str], *files: Path) -> tuple[int, list[dict[str, Any]]]:
    status = check_files("who_am_i", list(files), as_json=True)
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


GOOD = """\
import torch.distributed as dist


def who_am_i():
    return dist.get_rank(), dist.get_world_size()
"""
BAD = "def who_am_i():\n    return 0, 1\n"


def test_the_last_cell_that_defines_the_function_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = judged(capsys, notebook(tmp_path, BAD, "x = 1", GOOD, "who_am_i"))
    assert status == 0
    assert lines[0]["verdict"] == "passed"
    assert lines[0]["exercise"] == "who_am_i" and lines[0]["file"].endswith("answer.ipynb")
    assert {check["layer"] for check in lines[0]["checks"]} == {"source", "behaviour"}
    assert lines[0]["seconds"] > 0


def test_exit_status_tells_failed_from_could_not_be_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad, broken = (tmp_path / name for name in ("good.py", "bad.py", "broken.ipynb"))
    good.write_text(GOOD)
    bad.write_text(BAD)
    broken.write_text('{"cells": [')
    assert judged(capsys, good)[0] == 0
    assert judged(capsys, good, bad)[0] == 1
    status, lines = judged(capsys, good, bad, broken)
    assert status == 2
    assert [line["verdict"] for line in lines] == ["passed", "failed", "could not be judged"]


def test_what_the_cell_takes_from_elsewhere_gets_the_same_words_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leaning = "def who_am_i():\n    return helper()\n"
    _, lines = judged(capsys, notebook(tmp_path, "def helper(): ...", leaning))
    assert "helper" in lines[0]["checks"][0]["message"]
    assert "cell" in lines[0]["checks"][0]["message"]


def test_the_cell_that_was_run_last_is_judged_even_if_it_broke(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace: dict[str, Any] = {}
    exec(GOOD, namespace)
    broken = "def who_am_i(:\n    return 0, 1\n"
    monkeypatch.setattr(sys.modules["__main__"], "In", ["", GOOD, broken], raising=False)
    with pytest.raises(CheckFailed):
        check(namespace["who_am_i"])
    assert "Python can't read line 1" in capsys.readouterr().out


def test_an_answer_for_which_time_ran_out_was_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A right answer on a crowded machine may end so: nothing was seen to be wrong."""
    monkeypatch.setattr(judging, "MOST_SECONDS", -1.0)
    report = judge(small(RING), REFERENCE)
    assert report.verdict == "could not be judged"
    assert any("was over" in check.message for check in report.failures)


def test_values_that_are_wrong_now_and_then_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    third_call = """
import torch.distributed as dist
from torch import Tensor

CALLS = [0]


def average_gradient(gradient: Tensor) -> None:
    dist.all_reduce(gradient)
    gradient /= dist.get_world_size()
    CALLS[0] += 1
    if CALLS[0] == 3:
        gradient.zero_()
"""

    def is_right(self: Any, before: list[Case], case: Case) -> judging._Seen:
        return judging._Seen(case, judging.Turn([], [], [], "returned", 0.0), [], None, {})

    monkeypatch.setattr(judging._Judgement, "_see_again", is_right)
    report = judge(catalog.get("average_gradient"), third_call, seed=1)
    assert report.verdict == "failed"
    assert "right when it was repeated" in report.failures[0].message
