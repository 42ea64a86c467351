"""The function or class that is asked for, in the form that the judge can call."""

from __future__ import annotations

import pytest

from ringlab.grading.source import SourceRules, judge_source

FUNCTION = SourceRules("answer", parameters=("tensor", "src"))
CLASS = SourceRules(
    "Wrapper",
    kind="class",
    parameters=("module", "bucket_bytes"),
    methods=(("finish", ()), ("forward", ("x",))),
    base="torch.nn.Module",
)
BODY = "\n    pass\n"


def one(source: str, rules: SourceRules = FUNCTION) -> tuple[int | None, str]:
    (finding,) = judge_source(source, rules)
    return finding.line, finding.message


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("", None, "def answer(tensor, src):"),
        ("  \n\n", None, "no code"),
        ("x = 1", None, "is not defined"),
        ("def other(tensor, src):" + BODY, None, "is not defined"),
        ("def outer():\n    def answer(tensor, src): pass", 2, "inside `outer`"),
        ("class A:\n    def answer(tensor, src): pass", 2, "inside `A`"),
        ("answer = lambda tensor, src: None", 1, "is assigned"),
        ("answer: object = print", 1, "is assigned"),
        ("def f(tensor, src): pass\nanswer = f", 2, "is assigned"),
        ("def answer(tensor, src): pass\nanswer = 3", 2, "is assigned"),
        ("async def answer(tensor, src):" + BODY, 1, "async"),
        ("class answer:" + BODY, 1, "is a class"),
        ("def answer(tensor):" + BODY, 1, "takes (tensor)"),
        ("def answer():" + BODY, 1, "takes (nothing)"),
        ("def answer(src, tensor):" + BODY, 1, "takes (src, tensor)"),
        ("def answer(t, s):" + BODY, 1, "takes (t, s)"),
        ("def answer(tensor, src, group):" + BODY, 1, "needs `group` too"),
        ("def answer(tensor, src, *, group):" + BODY, 1, "needs `group` too"),
        ("def answer(*args):" + BODY, 1, "`*args`"),
        ("def answer(tensor, **rest):" + BODY, 1, "`**rest`"),
        ("def answer(tensor, *, src):" + BODY, 1, "keyword alone"),
        ("def answer(tensor, src):\n    yield 1", 1, "`yield`"),
        ("def answer(tensor, src): pass\nif 1:\n    def answer(a): pass", 3, "takes (a)"),
    ],
)
def test_another_signature_is_explained(source: str, line: int | None, says: str) -> None:
    assert (found := one(source))[0] == line
    assert says in found[1]


@pytest.mark.parametrize(
    "source",
    [
        "def answer(tensor, src):" + BODY,
        "def answer(tensor: Tensor, src: int = 0) -> None:" + BODY,
        "def answer(tensor, src, group=None, *rest, loud=False, **more):" + BODY,
        "def answer(tensor, src, /):" + BODY,
        "def answer(x): pass\ndef answer(tensor, src):" + BODY,
        "if 1:\n    def answer(tensor, src): pass\nelse:\n    def answer(tensor, src): pass",
        "try:\n    def answer(tensor, src): pass\nfinally:\n    pass",
        "with torch.no_grad():\n    def answer(tensor, src): pass",
        "@torch.no_grad()\ndef answer(tensor, src):" + BODY,
        "def answer(tensor, src):\n    def inner():\n        yield 1\n    return list(inner())",
    ],
)
def test_any_form_that_can_be_called_is_accepted(source: str) -> None:
    assert judge_source(source, FUNCTION) == []


GOOD_CLASS = """
class Wrapper(torch.nn.Module):
    def __init__(self, module, bucket_bytes):
        super().__init__()

    def forward(self, *args):
        pass

    def finish(self):
        pass
"""


def test_a_class_is_accepted_with_its_methods() -> None:
    assert judge_source(GOOD_CLASS, CLASS) == []
    inherited = GOOD_CLASS.replace("Wrapper(", "Base(") + "\nclass Wrapper(Base): pass\n"
    assert judge_source(inherited, CLASS) == []
    other_names = GOOD_CLASS.replace("self", "me").replace("torch.nn.Module", "M")
    assert judge_source("from torch.nn import Module as M\n" + other_names, CLASS) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(torch.nn.Module)", "", "must be a `torch.nn.Module`"),
        ("def finish(self)", "def done(self)", "no method `finish`"),
        ("module, bucket_bytes", "module", "Wrapper.__init__"),
        ("finish(self)", "finish(self, now)", "needs `now` too"),
        ("class Wrapper(torch.nn.Module)", "def Wrapper(x)", "is a function"),
    ],
)
def test_another_class_is_explained(old: str, new: str, says: str) -> None:
    source = GOOD_CLASS.replace(old, new)
    messages = [finding.message for finding in judge_source(source, CLASS)]
    assert any(says in message for message in messages), messages
