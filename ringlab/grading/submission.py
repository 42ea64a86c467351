"""Finding an answer in what a learner hands in: a notebook, damaged or not, or a Python file.

The last code cell that defines the name counts, whatever happened to its metadata or place. Raw
and Markdown cells are looked at when no code cell defines it. Nothing is run.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import stat
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringlab.grading.signature import definitions
from ringlab.plain import plain
from ringlab.words import source as words

MAX_BYTES = 48 * 2**20
MAX_CELL = 400_000
MAX_LINE = 2000
"""A longer line is no magic that somebody wrote, and is left as it is."""

# First lines after which the rest of the cell is still Python, run in the kernel.
PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun", "lprun"})


class SubmissionError(Exception):
    """An answer can't be found; the message is a sentence for its author."""


class NoAnswer(SubmissionError):
    """No cell defines what the exercise asks for."""


class UnreadableSubmission(SubmissionError):
    """The file is missing, damaged, or no notebook."""


@dataclass(frozen=True)
class Answer:
    """The whole cell that defines an answer, magics blanked, and its place in the cells given."""

    source: str
    cell_index: int


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its kind ("code", "markdown", "raw"), source and place, from 0."""

    kind: str
    source: str
    index: int


@dataclass(frozen=True)
class Submission:
    """A file as it was handed in: its cells, and what the metadata says of them, where it is left.

    lesson: the number of the lesson that a notebook was copied from. marked: exercises whose cells
    it still has, whatever stands in them.
    """

    file: str
    cells: list[Cell]
    lesson: int | None = None
    marked: frozenset[str] = frozenset()


# Reading files


def cells(path: str | Path) -> list[str]:
    """The sources of a notebook's code cells, in order; of a Python file, the whole file as one.

    Raises UnreadableSubmission.
    """
    return [cell.source for cell in read_cells(path) if cell.kind == "code"]


def read_answer(path: str | Path, name: str) -> Answer:
    """The answer `name` in a file; `cell_index` counts all of its cells, from 0.

    Raises NoAnswer and UnreadableSubmission.
    """
    return answer_in(read_submission(path), name)


def answer_in(submission: Submission, name: str) -> Answer:
    """The answer `name` in a file that has been read. Raises NoAnswer."""
    found, file = submission.cells, submission.file
    for kinds in ({"code"}, {"raw", "markdown", "heading"}):
        some = [cell for cell in found if cell.kind in kinds]
        sources = [cell.source if cell.kind == "code" else _unfenced(cell.source) for cell in some]
        try:
            answer = find_answer(sources, name)
        except NoAnswer:
            continue
        return Answer(answer.source, some[answer.cell_index].index)
    if not any(cell.source.strip() for cell in found):
        raise NoAnswer(words.NO_CELLS.format(file=file))
    raise NoAnswer(words.NO_ANSWER.format(file=file, name=name))


def read_cells(path: str | Path) -> list[Cell]:
    """All cells of a file. Raises UnreadableSubmission with one sentence."""
    return read_submission(path).cells


def read_submission(path: str | Path) -> Submission:
    """A notebook (nbformat 3, 4 and later), or a Python file as one code cell.

    Raises UnreadableSubmission with one sentence.
    """
    path = Path(path)
    data = _read_bytes(path)
    name = plain(path.name, 200)
    if not data.strip():
        raise UnreadableSubmission(words.EMPTY_FILE.format(file=name))
    if path.suffix.lower() == ".py":
        return Submission(name, [Cell("code", _decode_python(data, name), 0)])
    if path.suffix.lower() != ".ipynb" and not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise UnreadableSubmission(words.WRONG_KIND.format(file=name))
    notebook = _load_json(data, name)
    found = _notebook_cells(notebook, name)
    lesson = _own_metadata(notebook).get("lesson")
    marks = [_own_metadata(cell).get("exercise") for cell in _raw_cells(notebook)]
    return Submission(
        name,
        found,
        lesson if type(lesson) is int else None,
        frozenset(mark for mark in marks if isinstance(mark, str)),
    )


def _read_bytes(path: Path) -> bytes:
    name = plain(path.name, 200)
    try:
        # A pipe or device could block for ever, so look before opening, and open without waiting.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableSubmission(words.NOT_A_FILE.format(file=name))
            if status.st_size > MAX_BYTES:
                raise UnreadableSubmission(_too_big(name, status.st_size))
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UnreadableSubmission(words.NOT_FOUND.format(file=name)) from None
    except IsADirectoryError:
        raise UnreadableSubmission(words.NOT_A_FILE.format(file=name)) from None
    except PermissionError:
        raise UnreadableSubmission(words.NOT_PERMITTED.format(file=name)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableSubmission(words.CANT_READ.format(file=name, reason=reason)) from None
    if len(data) > MAX_BYTES:
        raise UnreadableSubmission(_too_big(name, len(data)))
    return data


def _too_big(name: str, size: int) -> str:
    return words.TOO_BIG.format(file=name, size=size // 10**6, limit=MAX_BYTES // 10**6)


def _decode_python(data: bytes, name: str) -> str:
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return normal_lines(data.decode("utf-16"))
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return normal_lines(data.decode(encoding))
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise UnreadableSubmission(words.NOT_TEXT.format(file=name)) from None


def _load_json(data: bytes, name: str) -> Any:
    try:
        encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
        return json.loads(data.decode(encoding))
    except UnicodeDecodeError:
        raise UnreadableSubmission(words.NOT_TEXT.format(file=name)) from None
    except json.JSONDecodeError as error:
        text = words.NOT_JSON.format(file=name, line=error.lineno)
        raise UnreadableSubmission(text) from None
    except (RecursionError, ValueError, MemoryError):
        raise UnreadableSubmission(words.NOT_NOTEBOOK.format(file=name)) from None


def _notebook_cells(notebook: Any, name: str) -> list[Cell]:
    if not isinstance(notebook, dict):
        raise UnreadableSubmission(words.NOT_NOTEBOOK.format(file=name))
    if not any(isinstance(notebook.get(key), list) for key in ("cells", "worksheets")):
        raise UnreadableSubmission(words.NOT_NOTEBOOK.format(file=name))
    found = []
    for i, cell in enumerate(_raw_cells(notebook)):
        if isinstance(cell, dict):
            kind = cell.get("cell_type")
            found.append(Cell(kind if isinstance(kind, str) else "raw", _source_of(cell), i))
    return found


def _raw_cells(notebook: dict[str, Any]) -> list[Any]:
    if isinstance(notebook.get("cells"), list):
        return list(notebook["cells"])
    return [
        cell
        for sheet in notebook["worksheets"]
        if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
        for cell in sheet["cells"]
    ]


def _own_metadata(thing: Any) -> dict[str, Any]:
    """What the course wrote into the metadata of a notebook or cell; empty when it is gone."""
    metadata = thing.get("metadata") if isinstance(thing, dict) else None
    own = metadata.get("ringlab") if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) else {}


def _source_of(cell: dict[str, Any]) -> str:
    """A cell's text: a string or a list of lines; nbformat 3 calls it `input` in code cells."""
    for key in ("source", "input"):
        value = cell.get(key)
        if isinstance(value, list):
            return normal_lines("".join(line for line in value if isinstance(line, str)))
        if isinstance(value, str):
            return normal_lines(value)
    return ""


def normal_lines(text: str) -> str:
    """One kind of line end, no byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _unfenced(text: str) -> str:
    """Code that somebody put into Markdown: what stands between fences, else all of it.

    Other lines become blank, so that line numbers stay.
    """
    lines = text.split("\n")
    fences = [i for i, line in enumerate(lines) if re.match(r"\s*(```|~~~)", line)]
    if len(fences) < 2:
        return text
    inside: set[int] = set()
    for start, end in zip(fences[::2], fences[1::2], strict=False):
        inside.update(range(start + 1, end))
    return "\n".join(line if i in inside else "" for i, line in enumerate(lines))


# Finding the definition


def find_answer(cell_sources: list[str], name: str) -> Answer:
    """The last cell that defines `name`, at the top level or under `if`, `try` or `with`.

    A `def`, `class` or assignment counts. A cell that can't be parsed counts when a line at its
    left margin begins a definition of that name: its author then learns what is wrong with it.
    Raises NoAnswer.
    """
    for i in reversed(range(len(cell_sources))):
        source = clean_magics(normal_lines(cell_sources[i]))
        if name in source and _defines(source, name):
            return Answer(source, i)
    raise NoAnswer(words.NO_ANSWER_CELLS.format(name=name))


def _defines(source: str, name: str) -> bool:
    tree = _parse(source)
    if tree is not None:
        return any(defined == name for defined, _ in definitions(tree.body))
    text = re.escape(name)
    pattern = rf"^(async\s+def|def|class)\s+{text}\b|^{text}\s*(:[^=\n]*)?=(?!=)"
    return re.search(pattern, source, re.MULTILINE) is not None


def _parse(source: str) -> ast.Module | None:
    if len(source) > MAX_CELL:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


# IPython's own syntax

# None of these may look at a place twice: a line can be long and made to match nothing.
_ASSIGNED_MAGIC = re.compile(r"^(\s*)([A-Za-z_][\w, .\t]*)=\s*[!%]")
_LINE_MAGIC = re.compile(r"^(\s*)(%{1,2}[A-Za-z_]|!|\?|[\w.%*]+\?{1,2}\s*$)")
_CELL_MAGIC = re.compile(r"^\s*%%([A-Za-z_]\w*)")


def clean_magics(source: str) -> str:
    """Blank IPython's magics and shell lines (`%%time`, `!ls`, `name?`); line numbers stay.

    A source that is plain Python is returned as it is. A cell whose first line makes it something
    other than Python (`%%bash`, `%%writefile`) becomes blank. A running kernel shows its cells with
    the magics already turned into calls of `get_ipython()`; these are blanked just the same.
    """
    if len(source) > MAX_CELL:
        return source
    tree = _parse(source)
    if tree is not None:
        return _clean_calls(source, tree) if "get_ipython()" in source else source
    if not re.search(r"[%!?]", source):
        return source
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    cell_magic = _CELL_MAGIC.match(lines[first])
    if cell_magic:
        if cell_magic[1] not in PYTHON_CELL_MAGICS:
            return "\n" * (len(lines) - 1)
        lines[first] = ""
    return "\n".join(_clean_lines(lines))


_MAGIC_CALLS = frozenset(
    {"run_line_magic", "run_cell_magic", "system", "getoutput", "magic", "set_next_input"}
)


def _clean_calls(source: str, tree: ast.Module) -> str:
    if len(tree.body) == 1 and (call := _magic_call(tree.body[0], "run_cell_magic")):
        arguments = [getattr(argument, "value", None) for argument in call.args]
        if len(arguments) == 3 and arguments[0] in PYTHON_CELL_MAGICS:
            return "\n" + clean_magics(str(arguments[2]))
        return ""
    lines = source.split("\n")
    for statement in ast.walk(tree):
        if isinstance(statement, (ast.Expr, ast.Assign)) and _magic_call(statement):
            first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
            indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
            lines[first : last + 1] = [""] * (last - first + 1)
            if isinstance(statement, ast.Assign):
                lines[first] = f"{indent}{_targets(statement)} = None"
            elif indent:
                lines[first] = f"{indent}pass"
    return "\n".join(lines)


def _targets(statement: ast.Assign) -> str:
    try:
        return " = ".join(ast.unparse(target) for target in statement.targets)
    except RecursionError:
        return "_"


def _magic_call(statement: ast.stmt, name: str = "") -> ast.Call | None:
    """The call `get_ipython().run_line_magic(...)` of a statement that consists of it."""
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    shell = call.func.value
    if not isinstance(shell, ast.Call) or not isinstance(shell.func, ast.Name):
        return None
    if shell.func.id != "get_ipython" or shell.args or call.func.attr not in _MAGIC_CALLS:
        return None
    return call if name in ("", call.func.attr) else None


def _clean_lines(lines: list[str]) -> list[str]:
    """Blank the lines that begin a statement with a magic, and those that continue such a line."""
    cleaned = []
    state = _LineState()
    continues = False
    for line in lines:
        magic = continues or (state.at_start() and _is_magic(line))
        if not magic:
            cleaned.append(line)
            state.read(line)
            continue
        assigned = _ASSIGNED_MAGIC.match(line)
        if assigned and not continues:
            cleaned.append(f"{assigned[1]}{assigned[2].rstrip()} = None")
        else:
            # `pass` keeps a block that has no other line in it.
            indent = line[: len(line) - len(line.lstrip())]
            cleaned.append(f"{indent}pass" if indent and not continues else "")
        continues = line.endswith("\\")
    return cleaned


def _is_magic(line: str) -> bool:
    if len(line) > MAX_LINE:
        return False
    return bool(_LINE_MAGIC.match(line) or _ASSIGNED_MAGIC.match(line))


class _LineState:
    """Whether the next line begins a statement, or is inside a string or brackets."""

    _TOKEN = re.compile(r"#.*|'''|\"\"\"|'(?:\\.|[^'\\\n])*'?|\"(?:\\.|[^\"\\\n])*\"?|[()\[\]{}]")

    def __init__(self) -> None:
        self.quote = ""
        self.depth = 0
        self.continued = False

    def at_start(self) -> bool:
        return not self.quote and self.depth == 0 and not self.continued

    def read(self, line: str) -> None:
        position = 0
        while position < len(line):
            if self.quote:
                end = _end_of_string(line, position, self.quote)
                if end < 0:
                    self.continued = False
                    return
                position, self.quote = end, ""
                continue
            token = self._TOKEN.search(line, position)
            if token is None:
                break
            position = token.end()
            text = token[0]
            if text in ("'''", '"""'):
                self.quote = text
            elif text in "([{":
                self.depth += 1
            elif text in ")]}":
                self.depth = max(0, self.depth - 1)
        self.continued = not self.quote and line.endswith("\\")


def _end_of_string(line: str, start: int, quote: str) -> int:
    """Where a triple-quoted string ends in this line, -1 if it goes on."""
    position = start
    while position < len(line):
        if line[position] == "\\":
            position += 2
        elif line.startswith(quote, position):
            return position + len(quote)
        else:
            position += 1
    return -1
