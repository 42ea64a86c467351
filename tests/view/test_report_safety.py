"""Nothing from a learner's run acts on the terminal or page that shows the report."""

from __future__ import annotations

import unicodedata

import pytest

from ringlab.grading.verdict import Check, Report
from ringlab.view.report import report_html, report_text

EVIL = "\x1b[2J\x07\u202e\u2066\x9b31m\ud800\u2028<script>"
UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def report(message: str = EVIL, name: str = EVIL, source: str = "x = 1\n" + EVIL) -> Report:
    checks = (
        Check("source", name, True, ""),
        Check("behaviour", name, False, message, rank=1, line=2),
    )
    return Report("ring_step", "failed", checks, 0.1, file=EVIL, source=source)


@pytest.mark.parametrize("show", [report_text, report_html])
def test_messages_names_and_lines_are_escaped(show) -> None:  # type: ignore[no-untyped-def]
    text = show(report())
    text.encode("utf-8")
    assert not [c for c in text if unicodedata.category(c) in UNSAFE and c != "\n"]
    assert "\\x1b[2J" in text and "\\ud800" in text
    assert show is report_text or "<script>" not in text


def test_a_name_and_a_line_stay_on_one_line() -> None:
    text = report_text(report(name="a\nFAKE", message="m", source="x\n y\x0c\x0bz"))
    assert not [line for line in text.split("\n") if line.startswith("FAKE")]
    assert "y\\x0c\\x0bz" in text


def test_the_quoted_line_is_counted_as_python_counts() -> None:
    text = report_text(report(source="a = '\x0c\u2028'\nb = 2\nc = 3"))
    assert "| b = 2" in text


def test_paragraphs_of_a_message_stay() -> None:
    text = report_text(report(message="first\n\nsecond"))
    assert "    first\n" in text and "    second\n" in text


def test_a_huge_message_is_cut() -> None:
    huge = report(message="word " * 200_000, name="n" * 100_000, source="x\n" + "y" * 100_000)
    assert len(report_text(huge)) < 12_000
    assert len(report_html(huge)) < 20_000
