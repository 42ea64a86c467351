"""Lesson 12's exercises: what the judge sees of a worker and of a grader, and what it leaves."""

from __future__ import annotations

import ast
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from ringlab import catalog
from ringlab.build.lesson import read_lesson
from ringlab.grading import grader, programs, worker, worker_files
from ringlab.grading.judge import judge
from ringlab.grading.source import SourceRules, judge_source
from ringlab.grading.trial import Attempt
from ringlab.words import autograder as words

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "lessons" / "12_build_the_autograder.md"
ANSWERS = ROOT / "tests" / "answers"
WORKER = (ROOT / "solutions" / "run_worker.py").read_text()
GRADER = (ANSWERS / "grade_worker" / "right" / "forked_with_pipes.py").read_text()


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def attempt(exercise: str, source: str) -> Attempt:
    return Attempt(catalog.get(exercise), source, drawn(0))


# Programs


def test_programs_are_drawn_anew_and_can_be_parsed() -> None:
    first, second = programs.draw_programs(drawn(1)), programs.draw_programs(drawn(2))
    assert [each.what for each in first] == [each.what for each in second]
    assert len({each.what for each in first}) == len(first)
    for one, other in zip(first, second, strict=True):
        ast.parse(one.source)
        assert one.source != other.source


def test_every_group_has_programs_that_call_and_some_call_nothing() -> None:
    drawn_ones = programs.draw_programs(drawn(3))
    assert {each.group for each in drawn_ones if each.called} == {each.group for each in drawn_ones}
    assert any(not each.called for each in drawn_ones)
    for each in drawn_ones:
        assert all(name.rpartition(".")[2] in each.source for name in each.called)


def test_every_function_is_known_to_the_exercise() -> None:
    names: dict[str, object] = {}
    head = (ROOT / "solutions" / "called_collectives.py").read_text().split("###")[0]
    exec(head, names)
    known = names["COMMUNICATION"]
    assert isinstance(known, frozenset)
    assert {programs.PREFIX + name for name in programs.FUNCTIONS} <= known


# Workers


def test_a_spoiled_element_reaches_the_named_rank_alone() -> None:
    source = WORKER.replace("### BEGIN SOLUTION", "").replace("### END SOLUTION", "")
    spoil = {"name": "all_reduce", "elements": 1024, "how": "value", "rank": 1, "element": 700}
    with worker._Workers(attempt("run_worker", source), 2) as pair:
        told = pair.call(spoil)
    assert told is not None
    assert told[1]["how"]["type"] == "AssertionError"
    assert told[0]["how"].get("type") != "AssertionError"


def test_the_same_ranks_can_be_used_again_after_a_failure() -> None:
    with worker._Workers(attempt("run_worker", WORKER), 2) as pair:
        assert pair.swallowed() is None
        told, problem = pair.run()
    assert problem is None
    assert all(each["mean"] and not each["left"] for each in told)


@pytest.mark.full
def test_functional_collectives_are_seen_and_spoiled_too() -> None:
    """Importing what they need takes seconds in each rank."""
    source = FUNCTIONAL
    assert judge(catalog.get("run_worker"), source).verdict == "passed"
    careless = source.replace("assert torch.all(total", "print(torch.all(total")
    careless = careless.replace("== (world_size + 1) / 2)", "== (world_size + 1) / 2))", 1)
    report = judge(catalog.get("run_worker"), careless)
    assert [check.name for check in report.failures] == [words.GROUP_GRADIENT]


FUNCTIONAL = """
import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as funcol


def run_worker(rank, world_size):
    nccl = torch.cuda.is_available() and torch.cuda.device_count() >= world_size
    device = "cuda" if nccl else "cpu"
    dist.init_process_group("nccl" if nccl else "gloo", rank=rank, world_size=world_size)
    try:
        world = dist.group.WORLD
        total = funcol.all_reduce(torch.full((1024,), float(rank + 1), device=device), "sum", world)
        assert torch.all(total / world_size == (world_size + 1) / 2)
        feature = torch.full((128,), float(rank), device=device)
        gathered = funcol.all_gather_tensor(feature, 0, world)
        for source, piece in enumerate(gathered.tensor_split(world_size)):
            assert torch.all(piece == source)
    finally:
        dist.destroy_process_group()
"""


# Graders


def test_every_worker_file_is_drawn_anew() -> None:
    first, second = worker_files.draw_files(drawn(1)), worker_files.draw_files(drawn(2))
    for one, other in zip(first, second, strict=True):
        assert (one.text is None) == (other.text is None)
        assert one.text is None or one.text != other.text


def test_a_thorough_judgement_goes_on_after_a_failure() -> None:
    source = GRADER.replace('return "could not be judged"', 'return "failed"')
    exercise = catalog.get("grade_worker")
    short = judge(exercise, source)
    thorough = judge(exercise, source, thorough=True)
    assert [check.name for check in thorough.failures] == [words.GROUP_NO_FILE]
    assert len(short.failures) > len(thorough.failures)


def test_the_judge_leaves_no_process_and_no_file_behind() -> None:
    before = {process.pid for process in psutil.process_iter()}
    source = GRADER.replace("        kill_marked(mark)\n", "")
    report = judge(catalog.get("grade_worker"), source)
    assert [check.name for check in report.failures] == [words.GROUP_CLEAN]
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        assert process.pid in before or "time.sleep(900)" not in line


def test_a_grader_that_ends_its_own_process_has_failed() -> None:
    source = "import os\n\n\ndef grade_worker(path, world_size, timeout):\n    os._exit(0)\n"
    report = judge(catalog.get("grade_worker"), source)
    assert report.verdict == "failed"
    assert "own process ended" in report.failures[0].message


def test_a_late_answer_is_graded_again_alone_before_it_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A crowded machine must not make a right grader late."""
    monkeypatch.setattr(grader, "SLACK", -1.0)
    file = next(
        each for each in worker_files.draw_files(drawn(4)) if each.group == words.GROUP_HANGS
    )
    files = [replace(file, timeout=0.5)]
    threads = threading.active_count()
    tried: list[str] = []
    plain = grader._Process.grade

    def grade(process: grader._Process, file: worker_files.WorkerFile) -> grader._Graded:
        tried.append(file.what)
        if len(tried) == 2:
            monkeypatch.setattr(grader, "SLACK", 5.0)
        return plain(process, file)

    monkeypatch.setattr(grader._Process, "grade", grade)
    (graded,) = grader._grade_all(attempt("grade_worker", GRADER), files)
    assert len(tried) == 2 and graded.problem is None
    assert threading.active_count() == threads


@pytest.mark.full
def test_a_grader_that_uses_mp_spawn_passes() -> None:
    """Each rank imports torch: a minute and more."""
    queue = (ANSWERS / "grade_worker" / "right" / "start_processes_and_a_queue.py").read_text()
    report = judge(catalog.get("grade_worker"), queue.replace('else "fork"', 'else "spawn"'))
    assert report.verdict == "passed", [check.message for check in report.failures]


# What the source layer lets through


def test_a_program_may_do_anything_but_use_the_course() -> None:
    rules = SourceRules("grade_worker", parameters=("path",), is_program=True)
    free = "import os, subprocess\n\n\ndef grade_worker(path):\n    exec(open(path).read())\n"
    assert judge_source(free, rules) == []
    for line in ("import ringlab.grading.judge as j", "from ringlab import check"):
        (finding,) = judge_source(f"{line}\n{free}", rules)
        assert finding.line == 1 and "ringlab" in finding.message
    assert judge_source(free.replace("(path)", "(file)"), rules)


def test_what_is_not_followed_is_still_held_to_the_policy() -> None:
    rules = SourceRules("called_collectives", parameters=("source",), follows=False)
    walker = "import ast\n\n\ndef called_collectives(source):\n    return {WHAT}\n"
    assert judge_source(walker.replace("{WHAT}", "ast.parse(source).parent"), rules) == []
    # A reading that follows what is called would miss this helper.
    assert judge_source(walker.replace("{WHAT}", "helper(source)"), rules) == []
    assert judge_source(walker.replace("{WHAT}", "eval(source)"), rules)


# The lesson


@pytest.mark.full
def test_the_lesson_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Its own cells, run in order: what is printed is what the text around it claims."""
    names: dict[str, Any] = {"__name__": "lesson"}
    for cell in read_lesson(LESSON).cells:
        if cell.kind == "code" and "needs-answer" not in cell.tags and "predict" not in cell.source:
            exec(compile(cell.source, "cell", "exec"), names)
    printed = capsys.readouterr().out
    for attack in names["attacks"]:
        assert re.search(rf"^{re.escape(attack)} +passed$", printed, re.MULTILINE)
    assert len(re.findall(r"^right, .*failed: no call", printed, re.MULTILINE)) == 2
    assert "there never will be one" in printed
    assert len(re.findall(r"exit code +0 +all well$", printed, re.MULTILINE)) == 4
    assert "ProcessExitedException: process 0 terminated with signal SIGSEGV" in printed
    verdicts = names["verdicts"]
    assert verdicts["the honest worker"] == ["passed"] * 6
    for name, row in verdicts.items():
        wanted = "failed" if name in names["attacks"] or name == "hangs" else "passed"
        right = [verdict == wanted for verdict in row]
        # Once stopped, an attack stays stopped, and none is left at the end.
        assert right == sorted(right) and right[-1], (name, row)
