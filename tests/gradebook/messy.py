"""Fifty messy submissions, and the grade that each must get, worked out by hand.

A share is what part of the exercise's points an answer earns: a number, or the two between which
it lies. How shares are counted is said in `ringlab.words.gradebook.POINTS_RULE`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2]
ANSWERS = HOME / "tests" / "answers"
Share = float | tuple[float, float] | None
Expected = dict[str, tuple[str, Share]]

PASSED: tuple[str, Share] = ("passed", 1.0)
NOTHING: tuple[str, Share] = ("failed", 0.0)
UNJUDGED: tuple[str, Share] = ("could not be judged", None)
NO_EXERCISE = "?"


def share(of: Share) -> tuple[str, Share]:
    """Failed, with a part of the points."""
    return "failed", of


def reference(exercise: str) -> str:
    return (HOME / "solutions" / f"{exercise}.py").read_text()


def right(exercise: str, name: str) -> str:
    return (ANSWERS / exercise / "right" / f"{name}.py").read_text()


def wrong(exercise: str, name: str) -> str:
    return (ANSWERS / exercise / "wrong" / f"{name}.py").read_text()


def code(source: str, **more: Any) -> dict[str, Any]:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    return {**cell, "source": source, **more}


def text(source: str, kind: str = "markdown") -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source}


def book(*cells: dict[str, Any], **more: Any) -> bytes:
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}
    return json.dumps(whole).encode()


def lesson(name: str, answers: dict[str, str], **changes: Any) -> bytes:
    """A lesson's notebook with answers in it. changes: what is done to the whole notebook."""
    whole = json.loads((HOME / "notebooks" / f"{name}.ipynb").read_text())
    for cell in whole["cells"]:
        own = cell["metadata"].get("ringlab", {})
        if own.get("part") == "answer" and own["exercise"] in answers:
            cell["source"] = answers[own["exercise"]]
    change: Callable[[dict[str, Any]], Any] | None = changes.get("change")
    if change is not None:
        change(whole)
    return json.dumps(whole).encode()


def _strip(whole: dict[str, Any]) -> None:
    """All metadata lost, and every id."""
    whole["metadata"] = {}
    for cell in whole["cells"]:
        cell["metadata"] = {}
        cell.pop("id", None)


def _reverse(whole: dict[str, Any]) -> None:
    whole["cells"].reverse()


def _twice_one_id(whole: dict[str, Any]) -> None:
    for cell in whole["cells"]:
        cell["id"] = "same"


def _version_3(whole: dict[str, Any]) -> None:
    cells = whole.pop("cells")
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
    whole.update(nbformat=3, nbformat_minor=0, metadata={"name": ""}, worksheets=[{"cells": cells}])


RING, STEP = "ring_all_reduce", "ring_step"

STEP_BUT_FOR_FIVE = reference(STEP).replace(
    "    ### BEGIN SOLUTION\n", "    if world_size == 5:\n        return 0, 0\n"
)
TREE_BUT_FOR_ONE = """
def tree_time(world_size, nbytes, alpha, beta):
    levels = max(1, (world_size - 1).bit_length())
    return 2 * levels * (alpha + beta * nbytes)
"""
WHO_FORMULA = '=HYPERLINK("http://localhost","x") <b>@cmd'


@dataclass(frozen=True)
class Messy:
    """A submission: its path, its bytes, and what is expected of it.

    A string as content is a Python file. expected is None where there must be no row.
    """

    path: bytes
    content: Callable[[], bytes | str]
    expected: Expected | None
    why: str = ""


def _case(
    path: str | bytes, content: Callable[[], bytes | str], expected: Expected | None, why: str = ""
) -> Messy:
    return Messy(os.fsencode(path), content, expected, why)


_L04, _L03, _L05 = "04_ring_on_real_ranks", "03_ring_on_paper", "05_latency_or_bandwidth"

MESSY: list[Messy] = [
    # as it should be
    _case("ada/ring_all_reduce.py", lambda: reference(RING), {RING: PASSED}),
    _case("ada/ring_step.py", lambda: reference(STEP), {STEP: PASSED}),
    _case(f"ada/{_L04}.ipynb", lambda: lesson(_L04, {RING: reference(RING)}), {RING: PASSED}),
    _case(
        "ada/00_start_here.ipynb",
        lambda: lesson("00_start_here", {"who_am_i": right("who_am_i", "from_imports")}),
        {"who_am_i": PASSED},
    ),
    _case(
        f"ben/{_L05}.ipynb",
        lambda: lesson(
            _L05,
            {
                "ring_time": reference("ring_time"),
                "tree_time": TREE_BUT_FOR_ONE,
                "tree_all_reduce": reference("tree_all_reduce"),
            },
        ),
        {
            "ring_time": PASSED,
            # Wrong for one rank alone, which costs its own share: one promise of two.
            "tree_time": share(0.5),
            "tree_all_reduce": PASSED,
            "hierarchical_all_reduce": NOTHING,
        },
        "two right, one half right, one never begun",
    ),
    # wrong in one way each
    _case(
        "ben/ring_all_reduce.py", lambda: wrong(RING, "remainder_dropped"), {RING: share(1 / 14)}
    ),
    _case(
        "cleo/ring_all_reduce.py",
        lambda: wrong(RING, "whole_tensor_each_hop"),
        {RING: share(0.5 + 0.5 * 4 / 6)},
        "bytes and memory, two of six rules",
    ),
    _case(
        "cleo/v2/ring_all_reduce.py", lambda: wrong(RING, "everyone_sends_first"), {RING: NOTHING}
    ),
    _case(
        "dan/ring_all_reduce.py",
        lambda: wrong(RING, "sends_to_the_left"),
        {RING: share(0.5 + 0.5 * 5 / 6)},
    ),
    _case(
        "eve/ring_all_reduce.py",
        lambda: wrong(RING, "two_messages_a_chunk"),
        {RING: share(0.5 + 0.5 * 5 / 6)},
    ),
    _case("fay/ring_all_reduce.py", lambda: wrong(RING, "does_nothing"), {RING: NOTHING}),
    _case("gus/ring_all_reduce.py", lambda: wrong(RING, "calls_sys_exit"), {RING: NOTHING}),
    _case("hal/ring_all_reduce.py", lambda: wrong(RING, "hangs_on_rank_1"), {RING: NOTHING}),
    _case("ida/ring_all_reduce.py", lambda: wrong(RING, "mean_instead_of_sum"), {RING: NOTHING}),
    _case("ida/ring_step.py", lambda: STEP_BUT_FOR_FIVE, {STEP: share(6 / 7)}),
    _case("jon/ring_step.py", lambda: wrong(STEP, "written_for_four"), {STEP: share(1 / 7)}),
    _case(
        "kim/ring_step.py",
        lambda: wrong(STEP, "order_swapped"),
        {STEP: share(1 / 7)},
        "in a ring of two, receiving before sending is right too",
    ),
    _case("kim/who_am_i.py", lambda: wrong("who_am_i", "swapped"), {"who_am_i": NOTHING}),
    _case(
        "kim/ring_time.py",
        lambda: "def ring_time(world_size, nbytes, alpha, beta):\n    return 0\n",
        {"ring_time": NOTHING},
        "0 is right for one rank, and for nothing else",
    ),
    _case(
        "leo/shift_right.py",
        lambda: wrong("shift_right", "returns_its_own"),
        {"shift_right": NOTHING},
    ),
    _case("leo/ring_step.py", lambda: "def ring_step(rank, step, world_size)\n", {STEP: NOTHING}),
    _case(
        "leo/not_begun.py",
        lambda: (HOME / "exercises" / "ring_step.py").read_text(),
        {STEP: NOTHING},
        "found by what it defines",
    ),
    # notebooks that have been through a lot
    _case(
        f"may/{_L04} (1).ipynb",
        lambda: lesson(_L04, {RING: right(RING, "batched_exchange")}, change=_strip),
        {RING: PASSED},
        "no metadata; the name tells the lesson",
    ),
    _case(
        "may/backwards.ipynb",
        lambda: lesson(_L04, {RING: reference(RING)}, change=_reverse),
        {RING: PASSED},
    ),
    _case(
        "may/same ids.ipynb",
        lambda: lesson(_L03, {STEP: reference(STEP)}, change=_twice_one_id),
        {STEP: PASSED},
    ),
    _case(
        "ned/old.ipynb",
        lambda: lesson(_L03, {STEP: reference(STEP)}, change=_version_3),
        {STEP: PASSED},
        "nbformat 3",
    ),
    _case(
        "ned/bare.ipynb",
        lambda: book(code(reference(STEP))),
        {STEP: PASSED},
        "no kernel, no name, no metadata",
    ),
    _case(
        "ned/twice.ipynb",
        lambda: book(code(wrong(STEP, "order_swapped")), code("1"), code(reference(STEP))),
        {STEP: PASSED},
        "the last definition counts",
    ),
    _case(
        "ned/worse.ipynb",
        lambda: book(code(reference(STEP)), code(wrong(STEP, "order_swapped"))),
        {STEP: share(1 / 7)},
        "the last definition counts",
    ),
    _case(
        "ola/in_markdown.ipynb",
        lambda: book(text(f"Here it is:\n\n```python\n{reference(STEP)}```\n")),
        {STEP: PASSED},
    ),
    _case("ola/raw.ipynb", lambda: book(text(reference(STEP), "raw")), {STEP: PASSED}),
    _case(
        "ola/both.ipynb",
        lambda: book(text(reference(STEP), "raw"), code(wrong(STEP, "one_chunk"))),
        {STEP: NOTHING},
        "a code cell comes before a raw one",
    ),
    _case(
        "ola/magics.ipynb",
        lambda: book(code("%%time\n" + reference(STEP)), code("!pip list\n%matplotlib inline")),
        {STEP: PASSED},
    ),
    _case(
        "pam/many.ipynb",
        lambda: book(
            *(code(reference(e)) for e in (STEP, "ring_time", "tree_time", "who_am_i")),
        ),
        dict.fromkeys((STEP, "ring_time", "tree_time", "who_am_i"), PASSED),
        "exercises of four lessons in one notebook",
    ),
    _case(
        "pam/helper_elsewhere.ipynb",
        lambda: book(
            code("def right_of(rank, n):\n    return (rank + 1) % n\n"),
            code("def ring_step(rank, step, world_size):\n    return right_of(rank, 4), 0\n"),
        ),
        {STEP: NOTHING},
        "a helper in another cell is not there",
    ),
    _case(
        "pam/renamed.ipynb",
        lambda: lesson(_L03, {STEP: reference(STEP).replace("ring_step", "my_ring_step")}),
        {STEP: NOTHING},
        "expected by its metadata, and not defined",
    ),
    _case(
        "pam/diary.ipynb",
        lambda: book(text("Dear diary"), code("print('hello')")),
        {NO_EXERCISE: NOTHING},
        "a notebook without any exercise",
    ),
    # files that can't be read
    _case(f"quin/{_L04}.ipynb", lambda: lesson(_L04, {})[:4000], {RING: UNJUDGED}, "cut off"),
    _case("quin/empty.ipynb", lambda: b"", {NO_EXERCISE: UNJUDGED}),
    _case("quin/letter.ipynb", lambda: b"%PDF-1.7 \x00\x01", {NO_EXERCISE: UNJUDGED}),
    _case("quin/list.ipynb", lambda: b"[1, 2]", {NO_EXERCISE: UNJUDGED}),
    _case("quin/ring_step.py", lambda: b"# \xff\xfe\xff\ndef ring_step(", {STEP: UNJUDGED}),
    # names
    _case('rosa lee/ring step/it\'s "mine".py', lambda: reference(STEP), {STEP: PASSED}),
    _case("rosa lee/..\\..\\ring_step.py", lambda: reference(STEP), {STEP: PASSED}),
    _case("rosa lee/two\nlines.py", lambda: reference(STEP), {STEP: PASSED}),
    _case("🦊/ring_step 🦊.py", lambda: reference(STEP), {STEP: PASSED}),
    _case(b"sam\xff/ring_step.py", lambda: reference(STEP), {STEP: PASSED}),
    _case(WHO_FORMULA.replace("/", "") + "/ring_step.py", lambda: reference(STEP), {STEP: PASSED}),
    _case(
        "<img src=x onerror=alert(1)>/" + "n" * 180 + ".py", lambda: reference(STEP), {STEP: PASSED}
    ),
    _case("young_4711_0815_ring_step-2.py", lambda: reference(STEP), {STEP: PASSED}, "Canvas"),
    # no submissions
    _case("ada/.ipynb_checkpoints/ring_step-checkpoint.ipynb", lambda: book(), None),
    _case("ada/helpers.py", lambda: "def chunk(n):\n    return n\n", None),
    _case("ada/notes.txt", lambda: b"def ring_step(): ...", None),
    _case("__MACOSX/ada/._ring_step.py", lambda: b"\x00\x05\x16\x07", None),
]


def build(folder: Path) -> Path:
    """Make the folder; a link to a right answer lies in it too, which must not be followed."""
    for each in MESSY:
        path = Path(os.fsdecode(os.fsencode(folder) + b"/" + each.path))
        path.parent.mkdir(parents=True, exist_ok=True)
        content = each.content()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "zoe").mkdir(exist_ok=True)
    link = folder / "zoe" / "ring_step.py"
    if not link.is_symlink():
        link.symlink_to(HOME / "solutions" / "ring_step.py")
    return folder
