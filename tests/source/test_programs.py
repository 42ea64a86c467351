"""Whether a call is really a call: the 29 programs, and what `called` resolves."""

from __future__ import annotations

import pytest
from source_programs import PROGRAMS, Program

from ringlab.grading.source import (
    ALL_GATHER,
    ALL_REDUCE,
    P2P,
    REDUCE_SCATTER,
    SourceRules,
    called,
    judge_source,
)

RULES = SourceRules(
    "answer",
    parameters=("tensor",),
    required_communication=((ALL_REDUCE,), (REDUCE_SCATTER, ALL_GATHER)),
)
P2P_RULES = SourceRules("answer", parameters=("tensor",), allowed_communication=P2P)


def names(body: str, before: str = "") -> set[str]:
    """What an answer with this body calls of torch.distributed."""
    lines = "\n".join("    " + line for line in body.split("\n"))
    source = f"import torch.distributed as dist\n{before}\ndef answer(tensor, flag=None):\n{lines}"
    start = "torch.distributed."
    found = called(source, "answer")
    return {name.removeprefix(start) for name in found if name.startswith(start)}


def test_there_are_29_programs() -> None:
    assert len({program.name for program in PROGRAMS}) == 29


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_each_of_the_29_programs_is_judged_right(program: Program) -> None:
    findings = judge_source(program.source, RULES)
    assert bool(findings) == (program.verdict == "refuses"), findings


def test_a_dead_call_is_named_with_its_line() -> None:
    source = "def answer(tensor):\n    return\n    dist.all_reduce(tensor)\n"
    (finding,) = judge_source(source, RULES)
    assert finding.line == 3
    assert "never runs" in finding.message and "all_reduce" in finding.message


LIVE = {
    "plain": "dist.all_reduce(tensor)",
    "unknown condition": "if flag:\n    dist.all_reduce(tensor)",
    "both ways of a condition": "(dist.all_reduce if flag else dist.barrier)(tensor)",
    "or": "flag or dist.all_reduce(tensor)",
    "walrus": "(f := dist.all_reduce)\nf(tensor)",
    "tuple": "f, g = dist.all_reduce, dist.barrier\nf(tensor)",
    "starred": "f, *others = [dist.all_reduce]\nf(tensor)",
    "list": "for f in [dist.all_reduce]:\n    f(tensor)",
    "dict": "{'a': dist.all_reduce}['a'](tensor)",
    "dict by get": "d = {'a': dist.all_reduce}\nd.get('a')(tensor)",
    "dict items": "for k, f in {'a': dist.all_reduce}.items():\n    f(tensor)",
    "zip": "for f, x in zip([dist.all_reduce], [tensor]):\n    f(x)",
    "enumerate": "for i, f in enumerate([dist.all_reduce]):\n    f(tensor)",
    "appended": "jobs = []\njobs.append(lambda: dist.all_reduce(tensor))\nfor j in jobs:\n    j()",
    "comprehension": "[f(tensor) for f in (dist.all_reduce,)]",
    "map taken": "list(map(dist.all_reduce, [tensor]))",
    "generator taken": "for _ in (dist.all_reduce(t) for t in [tensor]):\n    pass",
    "closure": "def go():\n    dist.all_reduce(tensor)\ngo()",
    "returned function": "def make():\n    return lambda: dist.all_reduce(tensor)\nmake()()",
    "function as argument": "def apply(f, x):\n    f(x)\napply(dist.all_reduce, tensor)",
    "lambda at once": "(lambda x: dist.all_reduce(x))(tensor)",
    "keyword": "def apply(*, f):\n    f(tensor)\napply(f=dist.all_reduce)",
    "star arguments": "def apply(*a):\n    a[0](tensor)\napply(dist.all_reduce)",
    "default": "def go(f=dist.all_reduce):\n    f(tensor)\ngo()",
    "hook": "tensor.register_hook(lambda g: dist.all_reduce(g))",
    "passed to the unknown": "flag(lambda: dist.all_reduce(tensor))",
    "while true": "while True:\n    dist.all_reduce(tensor)\n    break",
    "after a loop that ends": "while flag:\n    flag = False\ndist.all_reduce(tensor)",
    "flag set in a loop": (
        "ready = False\nfor _ in range(3):\n    if ready:\n        dist.all_reduce(tensor)\n"
        "    ready = True"
    ),
    "try": "try:\n    dist.all_reduce(tensor)\nfinally:\n    pass",
    "except": "try:\n    tensor.view(-1)\nexcept RuntimeError:\n    dist.all_reduce(tensor)",
    "finally after return": "try:\n    return\nfinally:\n    dist.all_reduce(tensor)",
    "with": "with flag:\n    dist.all_reduce(tensor)",
    "match": "match flag:\n    case 1:\n        pass\n    case _:\n        dist.all_reduce(tensor)",
    "assert message": "assert flag, dist.all_reduce(tensor)",
    "f-string": "f'{dist.all_reduce(tensor)}'",
    "decorator": "@lambda f: f\ndef go():\n    dist.all_reduce(tensor)\ngo()",
    "nonlocal": (
        "f = None\ndef choose():\n    nonlocal f\n    f = dist.all_reduce\nchoose()\nf(tensor)"
    ),
    "getattr with a default": "getattr(dist, 'all_reduce', None)(tensor)",
    "attribute of an unknown": "flag.f = dist.all_reduce\nflag.f(tensor)",
    "recursion": (
        "def go(n):\n    if n:\n        go(n - 1)\n    else:\n        dist.all_reduce(tensor)\n"
        "go(3)"
    ),
    "else of a loop": "for _ in [1]:\n    pass\nelse:\n    dist.all_reduce(tensor)",
    "continue before": (
        "for i in range(3):\n    if flag:\n        continue\n    dist.all_reduce(tensor)"
    ),
    "partial of partial": (
        "from functools import partial\npartial(partial(dist.all_reduce, tensor), op=None)()"
    ),
    "instance attribute": (
        "class A:\n    def __init__(self, f):\n        self.f = f\n    def go(self):\n"
        "        self.f(tensor)\nA(dist.all_reduce).go()"
    ),
    "property": (
        "class A:\n    @property\n    def go(self):\n        dist.all_reduce(tensor)\nA().go"
    ),
    "call method": "class A:\n    def __call__(self):\n        dist.all_reduce(tensor)\nA()()",
    "operator": ("class A:\n    def __add__(self, x):\n        dist.all_reduce(x)\nA() + tensor"),
    "context manager class": (
        "class A:\n    def __enter__(self):\n        dist.all_reduce(tensor)\n"
        "    def __exit__(self, *a):\n        pass\nwith A():\n    pass"
    ),
    "context manager function": (
        "from contextlib import contextmanager\n@contextmanager\ndef go():\n"
        "    dist.all_reduce(tensor)\n    yield\nwith go():\n    pass"
    ),
    "inherited": (
        "class A:\n    def go(self):\n        dist.all_reduce(tensor)\nclass B(A):\n    pass\n"
        "B().go()"
    ),
    "super": (
        "class A:\n    def go(self):\n        dist.all_reduce(tensor)\nclass B(A):\n"
        "    def go(self):\n        super().go()\nB().go()"
    ),
    "class method": (
        "class A:\n    @classmethod\n    def go(cls):\n        cls.do()\n    @staticmethod\n"
        "    def do():\n        dist.all_reduce(tensor)\nA.go()"
    ),
    "dataclass field": (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    f: object\n"
        "A(dist.all_reduce).f(tensor)"
    ),
    "wrapped by a decorator": (
        "import functools\ndef told(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n"
        "        return f(*a, **k)\n    return inner\n@told\ndef go(x):\n    dist.all_reduce(x)\n"
        "go(tensor)"
    ),
    "autograd function": (
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x):\n        dist.all_reduce(x)\n        return x\nF.apply(tensor)"
    ),
    "local over a shadowed module": "import torch.distributed as d\nd.all_reduce(tensor)",
}


@pytest.mark.parametrize("body", LIVE.values(), ids=LIVE.keys())
def test_a_call_is_found_however_it_is_made(body: str) -> None:
    assert "all_reduce" in names(body)


DEAD = {
    "if 0": "if 0:\n    dist.all_reduce(tensor)",
    "if not True": "if not True:\n    dist.all_reduce(tensor)",
    "else of if True": "if True:\n    pass\nelse:\n    dist.all_reduce(tensor)",
    "while False": "while False:\n    dist.all_reduce(tensor)",
    "after while True": "while True:\n    pass\ndist.all_reduce(tensor)",
    "after raise": "raise ValueError\ndist.all_reduce(tensor)",
    "after continue": "for _ in range(3):\n    continue\n    dist.all_reduce(tensor)",
    "after break": "for _ in range(3):\n    break\n    dist.all_reduce(tensor)",
    "after returning on both ways": (
        "if flag:\n    return\nelse:\n    return\ndist.all_reduce(tensor)"
    ),
    "after assert False": "assert False\ndist.all_reduce(tensor)",
    "False and": "False and dist.all_reduce(tensor)",
    "1 or": "1 or dist.all_reduce(tensor)",
    "conditional expression": "None if True else dist.all_reduce(tensor)",
    "empty tuple": "for _ in ():\n    dist.all_reduce(tensor)",
    "empty string": "for _ in '':\n    dist.all_reduce(tensor)",
    "empty range": "for _ in range(0):\n    dist.all_reduce(tensor)",
    "empty comprehension": "[dist.all_reduce(tensor) for _ in []]",
    "comprehension that filters all": "[dist.all_reduce(tensor) for _ in [1] if False]",
    "constant compared": "if 1 > 2:\n    dist.all_reduce(tensor)",
    "constant kept in a name": "on = False\nif on:\n    dist.all_reduce(tensor)",
    "only bound": "f = dist.all_reduce",
    "only printed": "print(dist.all_reduce)",
    "generator not taken": "(dist.all_reduce(t) for t in [tensor])",
    "generator function not taken": "def go():\n    yield dist.all_reduce(tensor)\ngo()",
    "coroutine not awaited": "async def go():\n    dist.all_reduce(tensor)\ngo()",
    "map not taken": "map(dist.all_reduce, [tensor])",
    "partial not called": "from functools import partial\npartial(dist.all_reduce, tensor)",
    "method not called": "class A:\n    def go(self):\n        dist.all_reduce(tensor)\nA()",
    "local class of that name": "class dist:\n    all_reduce = len\ndist.all_reduce(tensor)",
    "parameter of that name": "def go(dist):\n    dist.all_reduce(tensor)\ngo(flag)",
    "loop variable of that name": "for dist in [flag]:\n    dist.all_reduce(tensor)",
    "lambda in a list": "jobs = [lambda: dist.all_reduce(tensor)]",
    "default not used": "def go(f=dist.all_reduce):\n    pass\ngo()",
    "debug off": "if not __debug__:\n    dist.all_reduce(tensor)",
    "main": "if __name__ == '__main__':\n    dist.all_reduce(tensor)",
    "string": "'dist.all_reduce(tensor)'",
}


@pytest.mark.parametrize("body", DEAD.values(), ids=DEAD.keys())
def test_what_never_runs_is_no_call(body: str) -> None:
    assert "all_reduce" not in names(body)


def test_an_operation_given_to_p2pop_is_used() -> None:
    body = "dist.batch_isend_irecv([dist.P2POp(dist.isend, tensor, 1)])"
    assert names(body) == {"P2POp", "batch_isend_irecv", "isend"}


def test_what_is_called_has_its_first_name() -> None:
    assert names("c.all_reduce(tensor)", "import torch.distributed.distributed_c10d as c") == {
        "all_reduce"
    }
    body = "dist.group.WORLD.allreduce([tensor])"
    assert names(body) == {"ProcessGroup.allreduce"}


FORBIDDEN = {
    "plain": "dist.all_reduce(tensor)",
    "alias chosen at run time": "f = dist.isend if tensor is None else dist.all_reduce\nf(tensor)",
    "in a table beside an allowed one": (
        "ops = {'a': dist.isend, 'b': dist.all_reduce}\nops[str(tensor)](tensor)"
    ),
    "by getattr": "getattr(dist, 'all_' + 'reduce')(tensor)",
    "method of the world": "dist.group.WORLD.allreduce([tensor])",
    "method of a group in a list": "[dist.group.WORLD][0].allreduce([tensor])",
    "functional": "dist._functional_collectives.all_reduce(tensor, 'sum', dist.group.WORLD)",
    "differentiable": "dist.nn.functional.all_reduce(tensor)",
    "barrier": "dist.barrier()",
    "new group": "dist.new_group([0])",
    "stored away": "tensor.f = dist.all_reduce\ntensor.f(tensor)",
    "in a closure": "def go():\n    return dist.all_reduce\ngo()(tensor)",
    "in a hook": "tensor.register_hook(dist.all_reduce)",
}


@pytest.mark.parametrize("body", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_a_collective_is_refused_where_only_p2p_is_allowed(body: str) -> None:
    lines = "\n".join("    " + line for line in body.split("\n"))
    source = f"import torch.distributed as dist\ndef answer(tensor):\n{lines}\n"
    findings = judge_source(source, P2P_RULES)
    assert findings and all("this exercise allows" in finding.message for finding in findings)
    assert "dist.isend" in findings[0].message


def test_a_collective_that_nothing_reaches_is_left_alone() -> None:
    source = (
        "reference = dist.all_reduce\n\n"
        "def compare(tensor):\n    dist.all_reduce(tensor)\n\n"
        "def answer(tensor: 'dist.all_reduce') -> None:\n    dist.send(tensor, 0)\n\n"
        "if __name__ == '__main__':\n    compare(torch.ones(1))\n"
    )
    assert judge_source(source, P2P_RULES) == []


def test_no_communication_at_all_can_be_asked_for() -> None:
    rules = SourceRules("answer", parameters=("tensor",), allowed_communication=frozenset())
    (finding,) = judge_source("def answer(tensor):\n    dist.send(tensor, 0)\n", rules)
    assert finding.line == 2 and "no communication" in finding.message


def test_a_whole_library_can_be_forbidden() -> None:
    rules = SourceRules("answer", parameters=("tensor",), forbids=frozenset({"torch"}))
    (finding,) = judge_source("def answer(tensor):\n    return dist.get_rank()\n", rules)
    assert "torch.distributed.get_rank" in finding.message
    assert judge_source("def answer(tensor: Tensor):\n    return 1\n", rules) == []


def test_communication_in_another_thread_is_refused() -> None:
    source = (
        "def answer(tensor):\n"
        "    work = dist.all_reduce(tensor, async_op=True)\n"
        "    work.get_future().then(lambda f: dist.all_reduce(tensor))\n"
    )
    (finding,) = judge_source(source, RULES)
    assert finding.line == 3 and ".then" in finding.message


def test_methods_of_a_class_count_as_called() -> None:
    source = (
        "class Wrapper(torch.nn.Module):\n"
        "    def __init__(self, module):\n"
        "        super().__init__()\n"
        "        self.work = []\n"
        "        for p in module.parameters():\n"
        "            p.register_post_accumulate_grad_hook(self._hook)\n"
        "    def _hook(self, p):\n"
        "        self.work.append(dist.all_reduce(p.grad, async_op=True))\n"
        "    def finish(self):\n"
        "        for work in self.work:\n"
        "            work.wait()\n"
    )
    rules = SourceRules(
        "Wrapper",
        kind="class",
        parameters=("module",),
        methods=(("finish", ()),),
        base="torch.nn.Module",
        required_communication=((ALL_REDUCE,),),
    )
    assert judge_source(source, rules) == []
    dead = source.replace("self._hook)", "print)")
    assert "torch.distributed.all_reduce" in called(source, "Wrapper")
    assert judge_source(dead.replace("_hook", "__hook"), rules) == []
