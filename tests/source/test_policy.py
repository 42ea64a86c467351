"""What an answer may import and touch: honest code is accepted, ways out are refused."""

from __future__ import annotations

import pytest
from source_attacks import BODY, CELL
from source_honest import HONEST

from ringlab.grading.source import ALL_COMMUNICATION, Policy, SourceRules, called, judge_source

RULES = SourceRules("answer", parameters=("tensor",))


def judge(body: str, before: str = "") -> list[str]:
    lines = "\n".join("    " + line for line in body.split("\n"))
    return [f.message for f in judge_source(f"{before}\ndef answer(tensor):\n{lines}\n", RULES)]


@pytest.mark.parametrize("source", HONEST.values(), ids=HONEST.keys())
def test_an_honest_answer_is_accepted(source: str) -> None:
    assert judge_source(source, RULES) == []
    assert called(source, "answer") & ALL_COMMUNICATION


@pytest.mark.parametrize("line", BODY.values(), ids=BODY.keys())
def test_a_way_out_of_the_function_is_refused(line: str) -> None:
    source = f"def answer(tensor):\n    {line}\n    dist.all_reduce(tensor)\n"
    findings = judge_source(source, RULES)
    assert findings
    last = source.count("\n") - 1
    assert all(finding.line in range(2, last + 1) for finding in findings), "the line is named"
    assert not any("can't read line" in finding.message for finding in findings)


@pytest.mark.parametrize("lines", CELL.values(), ids=CELL.keys())
def test_a_way_out_of_the_cell_is_refused(lines: str) -> None:
    source = f"{lines}\n\ndef answer(tensor):\n    dist.all_reduce(tensor)\n"
    findings = judge_source(source, RULES)
    assert findings
    assert not any("can't read line" in finding.message for finding in findings)


def test_a_refused_import_says_what_is_allowed() -> None:
    (message,) = judge("time.sleep(1)", before="import time")
    assert "`time`" in message and "itertools" in message and "torch" in message


def test_what_torch_offers_ready_made_is_told_apart() -> None:
    (message,) = judge(
        "return DDP(tensor)", "from torch.nn.parallel import DistributedDataParallel as DDP"
    )
    assert "DistributedDataParallel" in message and "by hand" in message


def test_ending_the_process_says_to_return() -> None:
    for line in ("exit()", "quit(0)", "raise SystemExit(0)"):
        (message,) = judge(line)
        assert "return" in message


def test_a_name_from_another_cell_is_told_to_move() -> None:
    (message,) = judge("helper(tensor)")
    assert "`helper`" in message and "exercise's cell" in message
    (message,) = judge("pass", before="lab.check(answer)")
    assert "`lab`" in message and "cell of its own" in message


@pytest.mark.parametrize(
    "body",
    [
        "x = [y for y in range(3)]\ny",
        "class A:\n    z = 1\n    def f(self):\n        return z\nA().f()",
        "[a for a in b]",
        "class A:\n    n = 2\n    values = [n for _ in range(n)]",
        "def f(x=later):\n    later = 1\nf()",
        "@nowhere\ndef f(): pass",
        "print(f'{missing}')",
        "match tensor:\n    case Nothing(): pass",
        "with thing as t: pass",
        "lambda: unheard\n(lambda: unheard)()",
    ],
)
def test_scopes_are_those_of_python(body: str) -> None:
    assert any("comes from elsewhere" in message for message in judge(body))


@pytest.mark.parametrize(
    "body",
    [
        "if tensor is None:\n    x = 1\nprint(x)",
        "try:\n    pass\nexcept ValueError as e:\n    print(e)",
        "for i, (j, *k) in []:\n    pass\nprint(i, j, k)",
        "match tensor:\n    case [a, *b] | {'a': a, **b}:\n        print(a, b)\n"
        "    case c:\n        c",
        "print([w := 1], w)",
        "[v for u in [1] if (v := u)]\nprint(v)",
        "x = 1\ndel x\nx = 2\nprint(x)",
        "import torch.nn\nprint(torch.nn)",
        "def f():\n    global late\n    late = 1\nf()\nprint(late)",
        "def f():\n    return g()\ndef g():\n    return 1\nf()",
        "class A:\n    B = 1\n    C = [B]\n    def f(self): return self.B, __class__",
        "with open_it() as (a, b):\n    print(a, b)\ndef open_it(): ...",
        "async def f():\n    async with a() as b: b\n    async for c in b: c\n"
        "    await c\nf()\ndef a(): ...",
        "print(__name__, __doc__)",
    ],
)
def test_a_name_bound_anywhere_in_its_scope_is_known(body: str) -> None:
    assert judge(body) == []


def test_names_in_code_that_never_runs_are_left_alone() -> None:
    assert judge("return\nplt.show()") == []
    assert judge("pass", before="def unused():\n    np.zeros(3)\n") == []


def test_a_local_name_may_be_anything() -> None:
    assert judge("dist = tensor\nprint(dist.sys_exit, dist.all_reduce)") == []
    assert judge("open = eval = tensor\nopen, eval") == []


def test_an_exercise_may_allow_more() -> None:
    policy = Policy(
        modules=(("os", ("environ",)), ("torch.distributed", ("init_process_group",))),
        builtins=frozenset({"open"}),
    )
    rules = SourceRules("answer", parameters=("tensor",), policy=policy)
    source = (
        "import os\ndef answer(tensor):\n    print(os.environ['X'], open('x'))\n"
        "    dist.init_process_group('gloo')\n"
    )
    assert judge_source(source, rules) == []
    assert judge_source(source.replace("environ", "system"), rules)
    assert judge_source(source, RULES)
