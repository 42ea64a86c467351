"""Reading a source has limits of its own, and meeting them refuses no right answer."""

from __future__ import annotations

import time

import pytest
from source_honest import HONEST

from ringlab.grading import calls, source
from ringlab.grading.names import Budget, Scopes, TooTangled
from ringlab.grading.reach import Machine
from ringlab.grading.source import P2P, SourceRules, called, judge_source, parse
from ringlab.grading.submission import clean_magics, find_answer

RULES = SourceRules("answer", parameters=("tensor",))
PEERS = SourceRules(
    "answer",
    parameters=("tensor",),
    allowed_communication=P2P,
    required_communication=((frozenset({"torch.distributed.send"}),),),
)
HEAD = "import torch\nimport torch.distributed as dist\n"
RECURSIVE = [name for name in HONEST if "recursi" in name]

# A right answer in a form that no reader follows to its end: every helper calls every other.
WINDING = (
    HEAD
    + "".join(
        f"def f{i}(x, k):\n"
        + "".join(f"    g{j} = lambda y: f{j}(y + {i}, [g{max(j - 1, 0)}])\n" for j in range(24))
        + "".join(f"    g{j}(x) + {j}\n" for j in range(24))
        for i in range(24)
    )
    + "def answer(tensor):\n    if dist.get_rank() < 0:\n        f0(tensor, [])\n"
)


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_STEPS", 20)


def test_there_are_recursive_answers() -> None:
    assert len(RECURSIVE) >= 3


@pytest.mark.parametrize("name", RECURSIVE)
def test_a_recursive_answer_is_followed_quickly(name: str) -> None:
    tree = parse(HEAD + HONEST[name])
    begun = time.process_time()
    machine = Machine(tree, Scopes(tree))
    machine.module()
    machine.enter("answer")
    assert calls.MAX_STEPS - machine.budget.left < 50_000
    assert time.process_time() - begun < 0.3


def test_a_function_passed_along_a_recursion_is_still_followed() -> None:
    text = HEAD + (
        "def f(n, how, more=()):\n    if n:\n        f(n - 1, more[0], (more, how))\n"
        "    how(n)\n"
        "def answer(tensor):\n    inner = lambda n: dist.barrier()\n"
        "    def loop(n, fn):\n        def last(m):\n            dist.recv(tensor, 1)\n"
        "        fn(n)\n        loop(n - 1, last)\n"
        "    f(3, dist.send, (dist.broadcast, inner))\n    loop(3, inner)\n"
    )
    used = {f"torch.distributed.{name}" for name in ("send", "broadcast", "barrier", "recv")}
    assert used <= called(text, "answer")


@pytest.mark.parametrize("count", [600, 1200])
def test_many_functions_of_one_name_are_given_up_on_soon(count: int) -> None:
    for call in ("g(1)", "g(g)", "g(lambda: g)"):
        begun = time.process_time()
        text = "g=lambda x:x\n" * count + f"{call}\n" * count + "def answer(tensor):\n    pass\n"
        judge_source(text, RULES)
        assert time.process_time() - begun < 4


def test_the_clock_ends_a_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(deadline=time.monotonic() - 1)
    with pytest.raises(TooTangled):
        budget.step()


def test_a_reading_ends_at_its_last_step() -> None:
    budget = Budget(steps=3)
    budget.step(3)
    with pytest.raises(TooTangled):
        budget.step()


def test_a_winding_answer_is_not_refused() -> None:
    with pytest.raises(TooTangled):
        called(WINDING, "answer")
    assert judge_source(WINDING, PEERS) == []


@pytest.mark.parametrize("name", HONEST)
def test_no_honest_answer_is_refused_when_it_is_not_followed(name: str, few_steps: None) -> None:
    messages = [finding.message for finding in judge_source(HONEST[name], RULES)]
    assert not [text for text in messages if "takes too long to follow. Write" in text]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("dist.all_reduce(tensor)", "torch.distributed.all_reduce"),
        ("f = dist.all_reduce", "torch.distributed.all_reduce"),
        ("[dist.all_reduce][0](tensor)", "torch.distributed.all_reduce"),
        ("getattr(dist, 'all_' + 'reduce')(tensor)", "torch.distributed.all_reduce"),
        (
            "from torch.distributed import all_reduce as a; a(tensor)",
            "torch.distributed.all_reduce",
        ),
        ("dist.group.WORLD.allreduce(tensor)", "allreduce"),
        ("[dist.group.WORLD][0].allreduce(tensor)", "allreduce"),
        ("getattr([dist.group.WORLD][0], 'allreduce')(tensor)", "allreduce"),
        ("w = dist.isend(tensor, 1); w.get_future().then(lambda f: 1)", "then"),
        ("[torch.Tensor][0].add_ = print", "add_"),
        ("t = [torch.Tensor][0]; t.add_ = print", "add_"),
    ],
)
def test_what_a_winding_answer_names_counts_as_used(line: str, says: str, few_steps: None) -> None:
    text = HEAD + f"def answer(tensor):\n    {line}\n    dist.send(tensor, 1)\n"
    findings = judge_source(text, PEERS)
    assert any(says in finding.message for finding in findings), findings


def test_a_winding_answer_may_use_what_is_allowed(few_steps: None) -> None:
    text = HEAD + (
        "from functools import reduce\n"
        "class A:\n    def __init__(self): self.x = 1\n"
        "def answer(tensor):\n    a = A()\n    a.x = reduce(max, [1, 2])\n"
        "    tensor.scatter_(0, tensor.long(), 1)\n    dist.send(tensor, 1)\n"
    )
    assert judge_source(text, PEERS) == []


@pytest.mark.parametrize(
    "line",
    ["a" + " " * 150_000 + "!", "x = " + "\\'" * 75_000, "a," * 75_000, "?" * 150_000,
     "%x" + "\\" * 150_000, "'" * 150_001, " " * 150_000 + "a"],
    ids=["spaces", "backslash quotes", "names", "questions", "backslashes", "quotes", "indent"],
)  # fmt: skip
def test_a_long_line_is_cleaned_at_once(line: str) -> None:
    text = f"def answer(tensor):\n    pass\n%x\n{line}\n((\n"
    begun = time.process_time()
    find_answer([text], "answer")
    # The same in many lines that are short enough to be looked at.
    short = "\n".join(line[i : i + 1990] for i in range(0, len(line), 1990))
    find_answer([f"def answer(tensor):\n    pass\n%x\n{short}\n((\n"], "answer")
    assert time.process_time() - begun < 1.5


def test_a_magic_before_a_long_line_is_still_blanked() -> None:
    long = "x = '" + "a" * 5000 + "'"
    assert clean_magics(f"%matplotlib inline\n{long}\n!ls\n") == f"\n{long}\n\n"


def test_a_huge_cell_is_not_cleaned() -> None:
    text = "%x\n" + "y = 1\n" * 80_000
    begun = time.process_time()
    assert clean_magics(text) == text
    assert time.process_time() - begun < 0.1


def test_a_deep_magic_call_is_cleaned() -> None:
    deep = "get_ipython()" + ".a" * 800 + ".system('ls')\n"
    clean_magics(deep)
    clean_magics("a" + ".b" * 900 + " = get_ipython().system('ls')\n")


def test_all_readers_share_one_clock() -> None:
    tree = parse("x = 1\n")
    scopes = Scopes(tree)
    assert Machine(tree, scopes).budget.deadline == scopes.budget.deadline
    assert source.Budget is Budget
