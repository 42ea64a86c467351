"""The builtins that answers run with refuse at run time what the source can't show."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, Type  # noqa: UP035

import numpy
import pytest

from ringlab.grading.guards import clean_builtins
from ringlab.grading.policy import Policy


def run(body: str, **names: Any) -> dict[str, Any]:
    namespace = {"__builtins__": clean_builtins(), "__name__": "answer", **names}
    exec(body, namespace)
    return namespace


@pytest.mark.parametrize(
    "body",
    [
        "getattr(f, '__glo' + 'bals__')",
        "getattr(f, '__code__')",
        "getattr(int, '__subclasses__')",
        "getattr(m, 'factorial_' + 'of')",
        "getattr(math_like, 'sys')",
        "getattr((x for x in []), 'gi_' + 'frame')",
        "getattr(E('x'), 'obj')",
        "list(map(getattr, [f], ['__globals__']))",
        "setattr(m, 'pi', 3)",
        "setattr(F, 'x', 3)",
        "setattr(f, '__code__', None)",
        "delattr(m, 'pi')",
        "getattr(f, T('__globals__'))",
        "type('X', (), {})",
        "type(int)('X', (), {})",
        "type(type)",
        "type[int]('X', (), {})",
        "type(numbers)",
        "import os",
        "import torch.multiprocessing",
        "open('x')",
        "eval('1')",
        "exec('1')",
        "globals()",
        "vars(f)",
        "__import__",
        "exit()",
    ],
)
def test_a_way_out_fails_when_it_runs(body: str) -> None:
    start = "def f(): pass\nclass T(str): pass\nclass E(Exception): pass\n"
    if body == "type(type)":
        found = run(start + "t = type(type)")["t"]
        with pytest.raises(TypeError):
            found("X", (), {})
        return
    if body == "__import__":
        with pytest.raises(ImportError):
            run(start + "x = __import__('os')")
        return
    with pytest.raises((AttributeError, TypeError, ImportError, NameError)):
        run(start + body, m=math, F=Fraction, math_like=pytest, numbers=numpy.zeros(1))


def test_ordinary_uses_work_as_ever() -> None:
    found = run(
        "import math\nfrom collections import deque\n"
        "class A:\n    x = 1\n    _y = 2\n    def __init__(self): setattr(self, 'z', 3)\n"
        "a = A()\n"
        "values = [getattr(a, n) for n in ('x', '_y', 'z')], getattr(a, 'no', 7)\n"
        "delattr(a, 'z')\n"
        "kinds = type(a) is A, isinstance(A, type), isinstance(a, type), type(1)('3')\n"
        "more = issubclass(type, type), type[int], getattr(math, 'pi'), hasattr(a, 'z')\n"
        "class B(A):\n    def __init__(self): super().__init__()\n"
        "class C(Exception): pass\n"
        "names = type(B()).__name__, type(a).__qualname__\n"
        "def annotated(t: type, u: type | None = None): return t\n"
    )
    assert found["values"] == ([1, 2, 3], 7)
    assert found["kinds"] == (True, True, False, 3)
    assert found["more"] == (True, Type[int], math.pi, False)  # noqa: UP006
    assert found["names"] == ("B", "A")


def test_an_exercise_may_let_more_through() -> None:
    policy = Policy(modules=(("os", ("path",)),), builtins=frozenset({"open"}))
    found: dict[str, Any] = {"__builtins__": clean_builtins(policy)}
    exec("import os\nf = open", found)
    assert found["f"] is open
    with pytest.raises(ImportError):
        exec("import sys", found)


def test_every_table_is_its_own() -> None:
    clean_builtins()["print"] = None
    assert clean_builtins()["print"] is print


ONE_RANK = """
import contextlib, io, sys
from types import ModuleType

import torch
import torch.distributed as dist
from source_honest import HONEST

from ringlab.grading.guards import clean_builtins

NEEDS_A_NEIGHBOUR = {"dataclass state", "closures and nonlocal", "p2p ops in every form"}
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
for name, source in HONEST.items():
    sys.modules["answer"] = module = ModuleType("answer")
    namespace = vars(module)
    namespace.update(
        __builtins__=clean_builtins(), torch=torch, dist=dist, Tensor=torch.Tensor
    )
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<answer>", "exec"), namespace)
            if name not in NEEDS_A_NEIGHBOUR:
                namespace["answer"](torch.ones(4))
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")
dist.destroy_process_group()
"""


def test_every_honest_answer_runs_on_a_rank_with_the_clean_builtins() -> None:
    here = Path(__file__).parent
    run_it = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ONE_RANK],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(here.parents[1])])},
    )
    assert run_it.stdout == ""
