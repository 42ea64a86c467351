"""The report of a check: what was asked, what happened, where, and what to look at."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from ringlab import algorithms
from ringlab.grading.verdict import Check, Report
from ringlab.schedule import simulate
from ringlab.view import report as report_module
from ringlab.view import report_html, report_text, show_report

SOURCE = "def f(tensor):\n    dist.recv(tensor, 1)  # <b>\n"
MESSAGE = "Rank 2's part of chunk 1 is missing on rank 0: it was overwritten at step 2."
CHECKS = (
    Check("source", "it parses", True),
    Check("source", "only p2p", True),
    Check("behaviour", "4 ranks, <7> elements", False, MESSAGE, rank=0, line=2),
    Check("behaviour", "2 ranks, 1 element", True),
)


def make(**changes: Any) -> Report:
    values: dict[str, Any] = {
        "exercise": "ring_all_reduce",
        "verdict": "failed",
        "checks": CHECKS,
        "seconds": 1.44,
        "source": SOURCE,
    }
    return Report(**(values | changes))


class Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(html: str) -> str:
    reader = Balance()
    reader.feed(html)
    assert reader.open == []
    return " ".join(reader.texts)


def test_the_text_says_it_all_without_colour() -> None:
    assert report_text(make()) == (
        "✗ ring_all_reduce: failed\n"
        "  3 of 4 checks passed · 1.4 s\n"
        "\n"
        "✓ Source  all 2 passed\n"
        "\n"
        "✗ Behaviour  1 of 2 failed\n"
        "  ✗ 4 ranks, <7> elements  (rank 0 · line 2)\n"
        f"    {MESSAGE}\n"
        "       2 |     dist.recv(tensor, 1)  # <b>\n"
        "\n"
        "· Traffic  not looked at"
    )
    assert "\x1b" not in report_text(make()) and "\x1b[1m" in report_text(make(), colour=True)


def test_the_html_says_the_same_escaped() -> None:
    html = report_html(make())
    said = read(html)
    for part in ("ring_all_reduce: failed", MESSAGE, "4 ranks, <7> elements", "rank 0 · line 2"):
        assert part in said
    assert "dist.recv(tensor, 1)  # <b>" in said
    assert "<b>\n" not in html and "<7>" not in html


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '" onload="x', "&amp;"])
def test_no_name_or_message_breaks_out(name: str) -> None:
    nasty = Check("traffic", name, False, name, line=1)
    html = report_html(make(exercise=name, checks=(nasty,), source=name))
    assert read(html).count(name) >= 4
    assert "<script" not in html


def test_one_message_is_said_once_and_many_are_cut() -> None:
    same = [Check("behaviour", f"case {i}", False, "The same.", line=2) for i in range(3)]
    assert report_text(make(checks=tuple(same))).count("The same.") == 1
    assert "and 2 more failed checks" in report_text(make(checks=tuple(same)))
    many = [Check("behaviour", f"case {i}", False, f"Message {i}.") for i in range(9)]
    text, said = report_text(make(checks=tuple(many))), read(report_html(make(checks=tuple(many))))
    assert "Message 3." in text and "Message 4." not in text
    assert "and 5 more failed checks" in text and "and 5 more failed checks" in said


def test_a_line_that_is_not_there_is_not_quoted() -> None:
    lost = Check("source", "x", False, "y", line=99)
    assert "|" not in report_text(make(checks=(lost,)))
    assert "<pre" not in report_html(make(checks=(lost,), source=None))


def test_what_could_not_be_judged_is_not_the_learners_fault() -> None:
    report = make(verdict="could not be judged", checks=())
    assert "no verdict on your code" in report_text(report)
    assert "no verdict on your code" in read(report_html(report))
    assert report_text(report).startswith("? ring_all_reduce: could not be judged")


def test_a_passed_report_is_short() -> None:
    passed = tuple(Check(layer, "x", True) for layer in ("source", "behaviour", "traffic"))
    text = report_text(make(verdict="passed", checks=passed))
    assert text.startswith("✓ ring_all_reduce: passed") and "✗" not in text
    assert "✓ Source  its one check passed" in text
    without = report_text(make(verdict="passed", checks=passed[:2]))
    assert "· Traffic  nothing is asked here" in without


def test_code_in_a_message_is_shown_as_code() -> None:
    said = report_html(make(checks=(Check("source", "x", False, "Use `a < b`, not `c`."),)))
    assert said.count("</code>") == 2 and ">a &lt; b</code>" in said and "`" not in said
    # The report's ground is light in a dark notebook too, so its code brings its own colours.
    assert said.count('<code style="') == 2


def test_a_report_with_a_run_shows_the_player_under_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda what, **_: shown.append(what))
    monkeypatch.setattr("ringlab.view.player.show", lambda what: shown.append(what))
    run = simulate(algorithms.ring(2))
    show_report(make(playback=run))
    assert set(shown[0]) == {"text/html", "text/plain"} and shown[1] is run
    assert report_module.MOST_SHOWN == 4
