"""Answers kept as data: the wrong ones are refused for their own reason, the right ones pass."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import answer_table as table
import pytest

from ringlab import catalog
from ringlab.grading.judge import judge
from ringlab.grading.verdict import Report

HERE = Path(__file__).parent
SOLUTIONS = HERE.parents[1] / "solutions"
FEWEST_WRONG, FEWEST_RIGHT = 6, 3
# Drawn sizes and values are the same in each run; `--full` draws others, and names them.
SEED = 20
MORE_SEEDS = 5


def answers(kind: str) -> list[Path]:
    return sorted(HERE.glob(f"*/{kind}/*.py"))


def name_of(path: Path) -> str:
    return f"{path.parents[1].name}-{path.stem}"


def expected(path: Path) -> tuple[str, list[str]]:
    """The layer that must refuse a wrong answer, and the words that its feedback must hold."""
    head = [line for line in path.read_text().splitlines() if line.startswith("# ")]
    says = [line.removeprefix("# says:").strip() for line in head if line.startswith("# says:")]
    return table.expected_layer(path), says


def refused_for_its_own_reason(path: Path, seed: int) -> Report:
    report = judge(catalog.get(path.parents[1].name), path.read_text(), seed=seed)
    assert report.verdict == "failed", f"{path.stem}, seed {seed}"
    layer, says = expected(path)
    feedback = [check.message for check in report.failures if check.layer == layer]
    text = "\n".join(feedback)
    for words in says:
        assert words in text, f"{words!r} is not said, seed {seed}. What is said:\n" + "\n".join(
            f"{check.layer}: {check.message}" for check in report.failures
        )
    return report


def passes(exercise_id: str, path: Path, seed: int) -> Report:
    report = judge(catalog.get(exercise_id), path.read_text(), seed=seed)
    assert report.verdict == "passed", (seed, [check.message for check in report.failures])
    return report


@pytest.mark.parametrize("path", answers("wrong"), ids=name_of)
def test_a_wrong_answer_is_refused_for_its_own_reason(
    path: Path, pytestconfig: pytest.Config
) -> None:
    report = refused_for_its_own_reason(path, SEED)
    table.keep(path, report, pytestconfig.cache.mkdir("answers"))  # type: ignore[union-attr]


@pytest.mark.parametrize("path", answers("right"), ids=name_of)
def test_an_unusual_right_answer_passes(path: Path, pytestconfig: pytest.Config) -> None:
    report = passes(path.parents[1].name, path, SEED)
    table.keep(path, report, pytestconfig.cache.mkdir("answers"))  # type: ignore[union-attr]


@pytest.mark.parametrize("exercise", catalog.all_exercises(), ids=lambda each: each.id)
def test_the_reference_answer_passes(exercise: catalog.Exercise) -> None:
    passes(exercise.id, SOLUTIONS / f"{exercise.id}.py", SEED)


@pytest.mark.full
@pytest.mark.parametrize("path", answers("wrong"), ids=name_of)
def test_a_wrong_answer_is_refused_whatever_is_drawn(path: Path) -> None:
    for _ in range(MORE_SEEDS):
        refused_for_its_own_reason(path, secrets.randbits(32))


@pytest.mark.full
@pytest.mark.parametrize(
    "path", [*answers("right"), *sorted(SOLUTIONS.glob("*.py"))], ids=lambda path: path.stem
)
def test_a_right_answer_passes_whatever_is_drawn(path: Path) -> None:
    exercise_id = path.stem if path.parent == SOLUTIONS else path.parents[1].name
    for _ in range(MORE_SEEDS):
        passes(exercise_id, path, secrets.randbits(32))


@pytest.mark.parametrize("exercise", catalog.all_exercises(), ids=lambda each: each.id)
def test_an_exercise_keeps_enough_answers(exercise: catalog.Exercise) -> None:
    kept = {kind: len(list(HERE.glob(f"{exercise.id}/{kind}/*.py"))) for kind in ("wrong", "right")}
    assert kept["wrong"] >= FEWEST_WRONG
    assert kept["right"] >= FEWEST_RIGHT


@pytest.mark.parametrize("path", answers("wrong"), ids=name_of)
def test_a_wrong_answer_says_what_it_expects(path: Path) -> None:
    layer, says = expected(path)
    assert layer in ("source", "behaviour", "traffic")
    assert says and all(re.search(r"\w", words) for words in says)


def test_the_table_names_every_answer_and_the_layer_that_refuses_it() -> None:
    assert table.listed() == table.named(), (
        "run the tests, then python tests/answers/answer_table.py"
    )
