"""One file that breaks the judge, or the terminal's encoding, stops no other file."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from ringlab.catalog.exercise import Exercise
from ringlab.grading import command
from ringlab.grading.verdict import Check, Report

EVIL = "\x1b[2J\ud800\u202e"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three files, the second of which breaks the judge."""

    def check_answer(exercise: Exercise, file: Path, *_: object) -> Report:
        if file.stem == "second":
            raise RuntimeError(EVIL)
        return Report(exercise.id, "failed", (Check("source", "n", False, EVIL),), 0.0, str(file))

    monkeypatch.setattr(command, "check_answer", check_answer)
    return [tmp_path / f"{name}.py" for name in ("first", "second", "third")]


def test_a_broken_judge_is_that_files_verdict_and_the_next_is_judged(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.check_files("ring_step", files, as_json=True) == 2
    verdicts = [json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()]
    assert verdicts == ["failed", "could not be judged", "failed"]


def test_json_is_ascii(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    command.check_files("ring_step", files, as_json=True)
    assert capsys.readouterr().out.isascii()


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_any_terminal_can_show_every_report(
    files: list[Path], monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    assert command.check_files("ring_step", files) == 2
    stream.flush()
    text = raw.getvalue().decode(encoding)
    assert text.count("ring_step") == 3
    assert "\x1b" not in text and "RuntimeError: \\x1b[2J" in text
