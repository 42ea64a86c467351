"""Text of a learner's run can't act on a terminal, and can always be written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringlab.grading.submission import UnreadableSubmission, cells
from ringlab.plain import plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\rb\nc\td", "a\\x0db\\x0ac\\x09d"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe\u2066", "\\u202egnp.exe\\u2066"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\U000e0041", "\\U000e0041"),
        ("ünïcödé 环 ✓ 🙂 \u00a0", "ünïcödé 环 ✓ 🙂 \u00a0"),
        ("C:\\x1b", "C:\\x1b"),
    ],
)
def test_what_a_terminal_acts_on_is_escaped(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_new_lines_stay_where_the_caller_says_so() -> None:
    assert plain("a\nb\r\x1b", lines=True) == "a\nb\\x0d\\x1b"


@given(st.text(st.characters(exclude_categories=())), st.integers(1, 60), st.booleans())
def test_the_result_is_short_safe_and_stable(text: str, limit: int, lines: bool) -> None:
    shown = plain(text, limit, lines)
    assert len(shown) <= limit
    shown.encode("utf-8")
    unsafe = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not [c for c in shown if unicodedata.category(c) in unsafe and not (lines and c == "\n")]
    assert plain(shown, limit, lines) == shown


def test_a_long_text_is_cut() -> None:
    assert plain("a" * 10, 10) == "a" * 10
    assert plain("a" * 11, 10) == "a" * 9 + "…"
    assert plain("\x1b" * 10, 10).endswith("…")


class Liar(str):
    def __str__(self) -> str:
        return "\x1b"

    def __getitem__(self, key: object) -> str:
        return "\x1b"

    def isascii(self) -> bool:
        return True

    def isprintable(self) -> bool:
        return True


class Breaks:
    def __str__(self) -> str:
        raise ValueError


class Answers:
    def __str__(self) -> str:
        return Liar("\x1b")


def test_a_text_that_lies_about_itself_is_escaped_too() -> None:
    assert plain(Liar("\x1b[0m")) == "\\x1b[0m"
    assert plain(Answers()) == "\\x1b"
    assert plain(Breaks()) == "Breaks"
    assert plain(ValueError("\x07")) == "\\x07"


def test_a_file_name_makes_no_line_of_its_own() -> None:
    with pytest.raises(UnreadableSubmission) as caught:
        cells("no\nPASSED\x1b[2J.py")
    assert str(caught.value) == "no\\x0aPASSED\\x1b[2J.py does not exist."
