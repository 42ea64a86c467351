"""A check's report as a learner sees it: HTML in a notebook, text in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING

from ringlab.grading.submission import normal_lines
from ringlab.plain import plain
from ringlab.view.style import CELL, COMPLETE, INK, LINE, LIT, MUTED, PAPER, with_code
from ringlab.words import view as words

if TYPE_CHECKING:
    from ringlab.grading.verdict import Check, Report

MOST_SHOWN = 4
"""Failed checks of a layer that are spelled out; the rest are counted."""
TEXT_WIDTH = 96
MESSAGE_LIMIT, NAME_LIMIT, LINE_LIMIT = 4000, 200, 300
"""Characters that are shown of a message, of a name, and of a line of the learner's code."""
_FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
_MONO = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
_CODE = f"{_MONO}background:{COMPLETE};color:{INK};padding:1px 5px;border-radius:3px;"
_MARKS = {"passed": "✓", "failed": "✗", "could not be judged": "?"}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def report_html(report: Report) -> str:
    """The report as an HTML fragment with its own light ground, everything in it escaped."""
    parts = [_header_html(report)]
    if report.verdict == "could not be judged":
        parts.append(_paragraph(words.COULD_NOT_BE_JUDGED))
    for layer in words.LAYERS:
        parts.append(_layer_html(report, layer))
    return (
        f'<div class="ringlab-report" data-verdict="{escape(report.verdict)}" style="{_FONT}'
        f"background:{PAPER};color:{INK};border:1px solid {LINE};border-radius:8px;"
        f'padding:12px 18px;max-width:1000px;font-size:14px;line-height:1.5">'
        + "".join(parts)
        + "</div>"
    )


def report_text(report: Report, colour: bool = False) -> str:
    """The report for a terminal. With ``colour`` the heads of the layers and failures are bold."""

    def bold(line: str) -> str:
        return f"{_BOLD}{line}{_PLAIN}" if colour else line

    lines = [bold(f"{_MARKS[report.verdict]} {_title(report)}"), f"  {_count(report)}"]
    if report.verdict == "could not be judged":
        lines.append(f"  {words.COULD_NOT_BE_JUDGED}")
    for layer, name in words.LAYERS.items():
        checks = [check for check in report.checks if check.layer == layer]
        lines += ["", bold(f"{_mark(checks)} {name}") + f"  {_summary(checks, report)}"]
        failed, more = _failed(checks)
        for check in failed:
            lines += _check_text(check, report.source, bold)
        if more:
            lines.append(f"    {more}")
    return "\n".join(lines)


def show_report(report: Report) -> None:
    """Show a report in a notebook, with the player of the run under it where there is one."""
    from IPython.display import display

    bundle = {"text/html": report_html(report), "text/plain": report_text(report)}
    display(bundle, raw=True)  # type: ignore[no-untyped-call]
    if report.playback is not None:
        from ringlab.view.player import show

        show(report.playback)


def _title(report: Report) -> str:
    verdict = words.VERDICTS[report.verdict]
    exercise = plain(report.exercise, NAME_LIMIT)
    return words.REPORT_TITLE.format(exercise=exercise, verdict=verdict)


def _count(report: Report) -> str:
    passed = sum(check.passed for check in report.checks)
    count = words.REPORT_COUNT.format(passed=passed, count=len(report.checks))
    return f"{count} · {words.REPORT_SECONDS.format(seconds=report.seconds)}"


def _mark(checks: Sequence[Check]) -> str:
    if not checks:
        return "·"
    return "✓" if all(check.passed for check in checks) else "✗"


def _summary(checks: Sequence[Check], report: Report) -> str:
    failed = sum(not check.passed for check in checks)
    if not checks:
        return words.LAYER_NOT_ASKED if report.passed else words.LAYER_NOT_REACHED
    if failed:
        return words.LAYER_FAILED.format(failed=failed, count=len(checks))
    return words.LAYER_PASSED[len(checks) != 1].format(count=len(checks))


def _failed(checks: Sequence[Check]) -> tuple[list[Check], str]:
    """The failed checks to spell out, and a sentence on the rest. One message appears once."""
    distinct: dict[tuple[str, int | None], Check] = {}
    failed = [check for check in checks if not check.passed]
    for check in failed:
        distinct.setdefault((check.message, check.line), check)
    shown = list(distinct.values())[:MOST_SHOWN]
    rest = len(failed) - len(shown)
    more = words.MORE_FAILED[rest != 1].format(count=rest) if rest else ""
    return shown, more


def _where(check: Check) -> str:
    places = []
    if check.rank is not None:
        places.append(words.ON_RANK.format(rank=check.rank))
    if check.line is not None:
        places.append(words.AT_LINE.format(line=check.line))
    return " · ".join(places)


def _quoted(check: Check, source: str | None) -> str | None:
    """The learner's line that a check is about."""
    # Python's own line ends; `splitlines` knows more of them and would count differently.
    lines = normal_lines(source or "").split("\n")
    if check.line is None or not 1 <= check.line <= len(lines):
        return None
    return plain(lines[check.line - 1][: LINE_LIMIT + 1].expandtabs(4), LINE_LIMIT)


def _header_html(report: Report) -> str:
    mark = _MARKS[report.verdict]
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline">'
        f'<span style="font-size:17px;font-weight:650">{mark} {escape(_title(report))}</span>'
        f'<span style="color:{MUTED}">{escape(_count(report))}</span></div>'
    )


def _layer_html(report: Report, layer: str) -> str:
    checks = [check for check in report.checks if check.layer == layer]
    failed, more = _failed(checks)
    colour = INK if checks else MUTED
    head = (
        f'<div style="margin-top:10px;color:{colour}"><b>{_mark(checks)} '
        f"{escape(words.LAYERS[layer])}</b> "
        f'<span style="color:{MUTED}">{escape(words.LAYER_ASKS[layer])}: '
        f"{escape(_summary(checks, report))}</span></div>"
    )
    body = "".join(_check_html(check, report.source) for check in failed)
    body += _paragraph(more) if more else ""
    passed = [check for check in checks if check.passed]
    summary = words.LAYER_CHECKS if failed else words.LAYER_ALL_CHECKS
    return head + body + _passed_html(passed, summary.format(count=len(passed)))


def _check_html(check: Check, source: str | None) -> str:
    where, quoted = _where(check), _quoted(check, source)
    name, message = plain(check.name, NAME_LIMIT), plain(check.message, MESSAGE_LIMIT, lines=True)
    parts = [
        f'<div style="margin:6px 0 8px 18px;padding:6px 12px;border-left:4px solid {INK};'
        f'background:{CELL}">',
        f"<div><b>{escape(name)}</b>",
        f' <span style="color:{MUTED}">{escape(where)}</span>' if where else "",
        "</div>",
        f'<div style="white-space:pre-line">{with_code(message, _CODE)}</div>',
    ]
    if quoted is not None:
        parts.append(
            f'<pre style="{_MONO}margin:6px 0 2px;padding:3px 8px;background:{LIT};color:{INK};'
            f'border-radius:4px;overflow-x:auto;font-size:13px">'
            f'<span style="color:{MUTED}">{check.line}</span>  {escape(quoted)}</pre>'
        )
    parts.append("</div>")
    return "".join(parts)


def _passed_html(checks: Sequence[Check], summary: str) -> str:
    if not checks:
        return ""
    items = "".join(f"<li>✓ {escape(plain(check.name, NAME_LIMIT))}</li>" for check in checks)
    return (
        f'<details style="margin-left:18px;color:{MUTED}"><summary>{escape(summary)}</summary>'
        f'<ul style="margin:2px 0;padding-left:18px;list-style:none">{items}</ul></details>'
    )


def _paragraph(sentence: str) -> str:
    return f'<div style="margin:4px 0 4px 18px;color:{MUTED}">{escape(sentence)}</div>'


def _check_text(check: Check, source: str | None, bold: Callable[[str], str]) -> list[str]:
    where, quoted = _where(check), _quoted(check, source)
    name = plain(check.name, NAME_LIMIT)
    lines = ["  " + bold(f"✗ {name}") + (f"  ({where})" if where else "")]
    for paragraph in plain(check.message, MESSAGE_LIMIT, lines=True).split("\n"):
        indent = " " * 4
        lines.append(fill(paragraph, TEXT_WIDTH, initial_indent=indent, subsequent_indent=indent))
    if quoted is not None:
        lines.append(f"    {check.line:>4} | {quoted}")
    return lines
