"""A course of one small lesson, with a catalog that is not the real one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

LESSON = """# Doubling

Twice *two*.

```{code-cell} python
from types import SimpleNamespace

lab = SimpleNamespace(check=lambda answer: print("checked", answer(2)))
print("a demo")
```

```{exercise} double
```

```{code-cell} python
:tags: [needs-answer]

try:
    print("yours:", double(4))
except NotImplementedError:
    print("not yet")
```

The end.
"""

SOLUTION = '''import math


def double(number: int) -> int:
    """Twice the number."""
    ### BEGIN SOLUTION
    return math.prod([2, number])
    ### END SOLUTION
'''


@dataclass(frozen=True)
class Entry:
    id: str = "double"
    lesson: int = 2
    points: int = 5
    title: str = "Twice"
    task: str = "Write `double`."
    hints: tuple[str, ...] = ("Think of two.", "Multiply.")


PICTURE = "ringlab.build.player_picture"


def entries(exercise_id: str) -> Entry:
    if exercise_id != "double":
        raise LookupError(exercise_id)
    return Entry()


def _write(root: Path) -> Path:
    for folder in ("lessons", "solutions", "notebooks", "exercises", "docs"):
        (root / folder).mkdir()
    (root / "lessons" / "02_doubling.md").write_text(LESSON)
    (root / "solutions" / "double.py").write_text(SOLUTION)
    return root


@pytest.fixture(autouse=True)
def _no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's picture is the view's; here it would only cost time."""
    monkeypatch.setattr(PICTURE, lambda: "<svg/>\n")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return _write(tmp_path)


@pytest.fixture(scope="session")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small course built and run, once for all tests: they only read it."""
    from ringlab import build

    root = _write(tmp_path_factory.mktemp("course"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PICTURE, lambda: "<svg/>\n")
        build.build(root=root, entries=entries, say=lambda line: None)
    return root


@pytest.fixture(scope="session")
def catalog() -> Callable[[str], Entry]:
    return entries
