"""An answer is found in whatever a learner hands in, and only the last one counts."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest

from ringlab.grading.submission import (
    MAX_BYTES,
    Answer,
    NoAnswer,
    SubmissionError,
    UnreadableSubmission,
    cells,
    clean_magics,
    find_answer,
    read_answer,
)

GOOD = "def answer(tensor):\n    return 1\n"


def notebook(*sources: Any, kind: str = "code", **more: Any) -> dict[str, Any]:
    made = [{"cell_type": kind, "source": source} for source in sources]
    return {"cells": made, "nbformat": 4, "nbformat_minor": 5, "metadata": {}} | more


def save(folder: Path, content: Any, name: str = "work.ipynb") -> Path:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


# Which cell


def test_the_last_cell_that_defines_it_counts() -> None:
    found = find_answer(
        [GOOD, "x = 1", GOOD.replace("1", "2"), "answer(3)", "# def answer"], "answer"
    )
    assert found == Answer(GOOD.replace("1", "2"), 2)


@pytest.mark.parametrize(
    "source",
    [
        "async def answer(t): pass",
        "class answer: pass",
        "answer = lambda t: t",
        "answer: object = print",
        "import functools\nanswer = functools.partial(print)",
        "a, answer = 1, 2",
        "if True:\n    def answer(): pass",
        "if False:\n    pass\nelse:\n    def answer(): pass",
        "try:\n    pass\nexcept ImportError:\n    def answer(): pass",
        "try:\n    pass\nfinally:\n    def answer(): pass",
        "with x:\n    def answer(): pass",
        "@x\ndef answer(): pass",
        "%%time\ndef answer(): pass",
        "!ls\ndef answer(): pass",
        "def answer(t:\n    broken",
        "answer = (((",
        "class answer(:",
        "async def answer(:",
    ],
)
def test_any_way_to_define_it_is_found(source: str) -> None:
    assert find_answer([GOOD, source, "print(answer)"], "answer").cell_index == 1


@pytest.mark.parametrize(
    "source",
    [
        "answer(1)",
        "x = answer",
        "answer.x = 1",
        "answer[0] = 1",
        "def other():\n    def answer(): pass",
        "class A:\n    def answer(self): pass",
        "'''\ndef answer(): pass\n'''",
        "# def answer(): pass",
        "def answer_2(): pass",
        "def my_answer(): pass",
        "answer == 1",
        "print(answer",
        "answer: int",
        "%%bash\ndef answer(): pass",
        "%%writefile a.py\ndef answer(): pass",
        "",
    ],
)
def test_what_only_looks_like_it_is_passed_over(source: str) -> None:
    assert find_answer([GOOD, source], "answer").cell_index == 0
    with pytest.raises(NoAnswer, match="answer"):
        find_answer([source], "answer")


def test_the_answer_is_the_whole_cell() -> None:
    cell = "import math\nCONSTANT = 3\n\n" + GOOD + "\nprint('done')\n"
    assert find_answer([cell], "answer").source == cell


def test_no_cells_is_no_answer() -> None:
    with pytest.raises(NoAnswer):
        find_answer([], "answer")


# Notebooks


def test_a_notebook_as_jupyter_writes_it(tmp_path: Path) -> None:
    lines = ["def answer(tensor):\n", "    return 1"]
    path = save(tmp_path, notebook(["import x"], lines))
    assert cells(path) == ["import x", "def answer(tensor):\n    return 1"]
    assert read_answer(path, "answer").cell_index == 1


def test_a_notebook_of_format_3(tmp_path: Path) -> None:
    old = {
        "nbformat": 3,
        "worksheets": [
            {"cells": [{"cell_type": "heading", "source": "Title", "level": 1}]},
            {"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"], "language": "python"}]},
            {"cells": [{"cell_type": "code", "input": GOOD}]},
        ],
    }
    path = save(tmp_path, old)
    assert cells(path) == ["x = 1\ny = 2", GOOD]
    assert read_answer(path, "answer") == Answer(GOOD, 2)


def test_metadata_may_be_gone_and_cells_odd(tmp_path: Path) -> None:
    odd: list[Any] = [None, 3, "text", [], {}, {"cell_type": "code"}, {"cell_type": 7, "source": 8}]
    odd += [{"cell_type": "code", "source": [1, None, "x = 1\n"]}]
    odd += [{"cell_type": "code", "source": GOOD, "metadata": None, "id": "a"}] * 2
    path = save(tmp_path, {"cells": odd})
    assert cells(path) == ["", "x = 1\n", GOOD, GOOD]
    assert read_answer(path, "answer").cell_index == 9


def test_other_cells_count_only_when_no_code_cell_has_it(tmp_path: Path) -> None:
    mixed = notebook(GOOD)
    mixed["cells"].append({"cell_type": "markdown", "source": "```python\n" + GOOD + "```\n"})
    assert read_answer(save(tmp_path, mixed), "answer") == Answer(GOOD, 0)
    for kind in ("raw", "markdown"):
        assert read_answer(save(tmp_path, notebook("x", GOOD, kind=kind)), "answer").cell_index == 1


def test_code_in_markdown_keeps_its_lines(tmp_path: Path) -> None:
    text = "Here is mine, don't\n\n```python\n" + GOOD + "```\nand more\n"
    found = read_answer(save(tmp_path, notebook(text, kind="markdown")), "answer")
    assert found.source.split("\n").index("def answer(tensor):") == 3
    ast.parse(found.source)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
@pytest.mark.parametrize("name", ["a.ipynb", "a b'\"é😀.ipynb", "..ipynb.ipynb", "noextension"])
def test_line_ends_marks_and_names(tmp_path: Path, mark: bytes, name: str) -> None:
    text = json.dumps(notebook("\ufeffdef answer(t):\r\n    return 1\r\n", "x\ry"))
    path = save(tmp_path, mark + text.replace(",", ",\r\n").encode(), name)
    assert cells(path) == ["def answer(t):\n    return 1\n", "x\ny"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b" \n\n ", "is empty"),
        (b"{", "not JSON"),
        (b'{"cells": [{"cell_type": "code", "source": "x', "not JSON"),
        (b'{\n"a": 1,\n]', "line 3"),
        (b"PK\x03\x04", "not JSON"),
        (b"\x80\x81\x82", "not text"),
        (b"[]", "not a notebook"),
        (b"3", "not a notebook"),
        (b"null", "not a notebook"),
        (b'"text"', "not a notebook"),
        (b"{}", "no cells"),
        (b'{"cells": {}}', "no cells"),
        (b'{"worksheets": 3}', "no cells"),
        (b"[" * 200_000, "not"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not a notebook"),
        (b"%PDF-1.4", "not JSON"),
    ],
)
def test_a_damaged_file_gets_one_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = save(tmp_path, content)
    with pytest.raises(UnreadableSubmission) as error:
        cells(path)
    message = str(error.value)
    assert says in message and "work.ipynb" in message and message.count("\n") == 0
    assert str(tmp_path) not in message


def test_files_that_cant_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSubmission, match="does not exist"):
        cells(tmp_path / "none.ipynb")
    with pytest.raises(UnreadableSubmission, match="not a file"):
        cells(tmp_path)
    with pytest.raises(UnreadableSubmission):
        cells("a\0b.ipynb")
    with pytest.raises(UnreadableSubmission, match="neither"):
        cells(save(tmp_path, "hello", "a.txt"))
    os.symlink("loop.ipynb", tmp_path / "loop.ipynb")
    with pytest.raises(UnreadableSubmission, match="can't be read"):
        cells(tmp_path / "loop.ipynb")
    assert issubclass(UnreadableSubmission, SubmissionError)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ipynb")
    with pytest.raises(UnreadableSubmission, match="not a file"):
        cells(tmp_path / "pipe.ipynb")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.ipynb"
    with open(path, "wb") as file:
        file.truncate(MAX_BYTES * 2)
    with pytest.raises(UnreadableSubmission, match="MB"):
        cells(path)


def test_a_notebook_without_the_answer_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="work.ipynb.*`answer`"):
        read_answer(save(tmp_path, notebook("x = 1")), "answer")
    with pytest.raises(NoAnswer, match="no cells with code"):
        read_answer(save(tmp_path, notebook()), "answer")


# Python files


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.encode("utf-16"),
    ],
)
def test_a_python_file_is_one_cell(tmp_path: Path, data: bytes) -> None:
    path = save(tmp_path, data, "answer.py")
    assert cells(path) == [GOOD]
    assert read_answer(path, "answer") == Answer(GOOD, 0)


def test_a_python_file_may_name_its_encoding(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\n# grüße\n" + GOOD
    assert cells(save(tmp_path, text.encode("latin-1"), "a.py")) == [text]
    for data in (b"# coding: nonsense\n", b"x = '\xff'"):
        with pytest.raises(UnreadableSubmission, match="UTF-8"):
            cells(save(tmp_path, data, "a.py"))


# Magics


@pytest.mark.parametrize(
    ("source", "cleaned"),
    [
        ("%%time\nx = 1", "\nx = 1"),
        ("\n\n%%timeit -n 1\nx = 1", "\n\n\nx = 1"),
        ("%%capture out\nx = 1", "\nx = 1"),
        ("%%bash\nls\nls", "\n\n"),
        ("%matplotlib inline\nx = 1", "\nx = 1"),
        ("!pip install x\nx = 1", "\nx = 1"),
        ("!pip install \\\n  x\nx = 1", "\n\nx = 1"),
        ("?print\nx = 1", "\nx = 1"),
        ("print?\nx = 1", "\nx = 1"),
        ("torch.add??\nx = 1", "\nx = 1"),
        ("files = !ls\nx = 1", "files = None\nx = 1"),
        ("t = %time f()\nx = 1", "t = None\nx = 1"),
        ("if 1:\n    !ls\nx = 1", "if 1:\n    pass\nx = 1"),
        ("get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1", "\nx = 1"),
        ("if 1:\n    get_ipython().system('ls')\nx = 1", "if 1:\n    pass\nx = 1"),
        ("a = get_ipython().getoutput('ls')\nx = 1", "a = None\nx = 1"),
        ("%time x = 1\ny = [\n  1 %\n  2]", "\ny = [\n  1 %\n  2]"),
        ("'''\n%time\n!ls\n'''\n%time 1", "'''\n%time\n!ls\n'''\n"),
        ("x = ('a'\n%3)\n!ls", "x = ('a'\n%3)\n"),
        ("x = 5 \\\n% 3\n!ls", "x = 5 \\\n% 3\n"),
        ("x = '#' # '''\n!ls\ny = 1", "x = '#' # '''\n\ny = 1"),
    ],
)
def test_magics_are_blanked_and_lines_stay(source: str, cleaned: str) -> None:
    assert clean_magics(source) == cleaned
    assert source.count("\n") == cleaned.count("\n")
    ast.parse(cleaned)


def test_a_timed_cell_of_a_running_kernel_is_unwrapped() -> None:
    cell = f"get_ipython().run_cell_magic('time', '', {GOOD!r})\n"
    assert find_answer([cell], "answer") == Answer("\n" + GOOD, 0)
    other = f"get_ipython().run_cell_magic('bash', '', {GOOD!r})\n"
    with pytest.raises(NoAnswer):
        find_answer([other], "answer")


@pytest.mark.parametrize(
    "source",
    [
        "get_ipython().showtraceback = None\nx = get_ipython",
        "x = 7\\\n%3",
        "s = '''\n%%time\n!ls\n'''",
        "x = (1\n%2)",
        "# %time\nx = a % b",
        "x != 1",
        "def f(:\n    pass",
    ],
)
def test_plain_python_is_left_alone(source: str) -> None:
    assert clean_magics(source) == source
