"""Sources that are broken, hostile or huge get a finding, at once."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from source_honest import HONEST

from ringlab.grading.source import SourceRules, judge_source
from ringlab.grading.submission import clean_magics

RULES = SourceRules("answer", parameters=("tensor",))
HEAD = "def answer(tensor):\n"


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        (HEAD + "    if tensor\n        pass\n", 2, "expected ':'"),
        (HEAD + "  x = 1\n    y = 2\n", 3, "indent"),
        (HEAD, 1, "expected an indented block"),
        (HEAD + "\tx = 1\n        y = 1\n", 3, "tab"),
        (HEAD + "    x = (1,\n", 2, "'(' was never closed"),
        (HEAD + "    x = 'abc\n", 2, "unterminated string"),
        (HEAD + "    pass\nreturn 3\n", 3, "'return' outside function"),
        (HEAD + "    break\n", 2, "'break' outside loop"),
        (HEAD + "    nonlocal x\n", 2, "nonlocal"),
        ("def answer(tensor, tensor): pass", 1, "duplicate argument"),
        (HEAD + "    x = 1\0\n", 2, "null byte"),
        (HEAD + "    x = '\ud800'\n", 2, "UTF-8"),
        (HEAD + "    “quoted”\n", 2, "invalid character"),
        (HEAD + "    x = 99" + "9" * 5000 + "\n", 2, "digits"),
        ("print 'hello'\n" + HEAD + "    pass", 1, "parentheses"),
    ],
)
def test_what_python_cant_read_is_explained_with_its_line(
    source: str, line: int, says: str
) -> None:
    (finding,) = judge_source(source, RULES)
    assert finding.line == line
    assert says in finding.message


BOMBS = {
    "parentheses": HEAD + "    x = " + "(" * 50_000 + ")" * 50_000,
    "brackets": HEAD + "    x = " + "[" * 150 + "]" * 150,
    "minus signs": HEAD + "    x = " + "-" * 100_000 + "1",
    "not": HEAD + "    x = " + "not " * 20_000 + "1",
    "sum": HEAD + "    x = " + "1+" * 50_000 + "1",
    "attributes": HEAD + "    x = tensor" + ".a" * 50_000,
    "calls": HEAD + "    x = tensor" + "()" * 5000,
    "lambdas": HEAD + "    x = " + "lambda: " * 5000 + "1",
    "powers": HEAD + "    x = 9" + "**9" * 3000,
    "shift": HEAD + "    x = 1 << 1 << 10 ** 10",
    "nested ifs": HEAD + "".join("    " * i + "if 1:\n" for i in range(1, 90)) + "    " * 90 + "1",
    "elifs": HEAD + "    if tensor: pass\n" + "    elif tensor: pass\n" * 3000,
    "ten megabytes": HEAD + "    x = 1\n" * 1_000_000,
    "ten megabytes in one line": HEAD + "    x = '" + "a" * 10_000_000 + "'",
    "many names": "".join(f"x{i} = x{i + 1}\n" for i in range(4000)) + HEAD + "    pass",
    "names in circles": HEAD + "".join(f"    x{i} = x{(i + 1) % 900}\n" for i in range(900)),
    "doubling text": HEAD
    + "    a0 = 'ab'\n"
    + "".join(f"    a{i + 1} = a{i} + a{i}\n" for i in range(60))
    + "    getattr(dist, a60)\n",
    "doubling choices": HEAD
    + "    a0 = dist.send\n"
    + "".join(f"    a{i + 1} = a{i} if tensor else a{i}\n" for i in range(60)),
    "doubling tuples": HEAD
    + "    a0 = dist.send\n"
    + "".join(f"    a{i + 1} = (a{i}, a{i})\n" for i in range(60)),
    "doubling calls": "def f0(x): pass\n"
    + "".join(f"def f{i + 1}(x):\n    f{i}(x)\n    f{i}(f{i})\n" for i in range(40))
    + HEAD
    + "    f40(tensor)\n",
    "nested loops": HEAD
    + "".join("    " * (i + 1) + f"for i{i} in tensor:\n" for i in range(18))
    + "    " * 19
    + "x = i17\n",
    "everything calls everything": "".join(
        f"def f{i}(x):\n" + "".join(f"    f{j}(x + {i})\n" for j in range(40)) for i in range(40)
    )
    + HEAD
    + "    f0(tensor)\n",
    "functions that return themselves": "def f(x):\n    return f(lambda: x)\n"
    + HEAD
    + "    f(f)(f)(f)\n",
    "generator of itself": "def f(x):\n    yield from f(f(x))\n" + HEAD + "    list(f(tensor))\n",
    "growing closures": HEAD
    + "    f = dist.send\n    while tensor:\n        g = f\n        f = lambda: (f, g)\n",
    "growing text": HEAD + "    s = 'a'\n    while tensor:\n        s = s + s\n",
    "class of itself": "class A:\n    def __getattr__(self, n): return self.x.y.z\n"
    + HEAD
    + "    A().b.c.d + A()\n",
}


@pytest.mark.parametrize("source", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_in_the_source_is_judged_at_once(source: str) -> None:
    start = time.monotonic()
    judge_source(source, RULES)
    # A generous bound: what matters is that it ends.
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("name", ["parentheses", "minus signs", "attributes", "ten megabytes"])
def test_a_bomb_is_refused_in_plain_words(name: str) -> None:
    (finding,) = judge_source(BOMBS[name], RULES)
    assert any(word in finding.message for word in ("deeply", "characters", "nested"))


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_gets_findings_and_no_exception(text: str) -> None:
    assert judge_source(text, RULES)
    clean_magics(text)


@given(st.sampled_from(sorted(HONEST)), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_a_damaged_answer_never_breaks_the_judge(name: str, seed: int) -> None:
    lines = HONEST[name].split("\n")
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    del lines[chance.randrange(len(lines))]
    for finding in judge_source("\n".join(lines), RULES):
        assert finding.message
        assert finding.line is None or 1 <= finding.line <= len(lines) + 1
