"""The pages of a gradebook: one for each submission, and the class at a glance.

Every page stands alone: no script, font or picture comes from elsewhere. Everything that a learner
wrote is escaped.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import ringlab
from ringlab.gradebook import files
from ringlab.gradebook.results import notebook_in_short
from ringlab.gradebook.store import Gradebook
from ringlab.gradebook.style import CSS, SCRIPT
from ringlab.plain import plain
from ringlab.view import style as colours
from ringlab.words import gradebook as words

MOST_UNJUDGED, MOST_MISTAKES, MOST_LEFT_OUT = 30, 12, 30
FEWEST_MISTAKES = 5
NAME_LIMIT = 100
MOST_KINDS = 5000
"""Different mistakes that are told apart; a class that makes more makes each of them once."""
_KINDS = ("passed", "partly", "failed", "could not be judged")


@dataclass(frozen=True)
class Progress:
    """How far a run is. state: "running", "stopped" or "done"."""

    done: int = 0
    count: int = 0
    state: str = "done"


def kind_of(row: Mapping[str, Any]) -> str:
    """A verdict, with what got some of the points told from what got none."""
    if row["verdict"] == "failed" and row["points"]:
        return "partly"
    return str(row["verdict"])


def number(value: float) -> str:
    """Points as people write them: 7 or 7.25."""
    return f"{round(value, 2):g}"


# One submission


def feedback(
    submission: Mapping[str, Any], rows: list[dict[str, Any]], runs: list[dict[str, Any]]
) -> Iterator[str]:
    """The page for the author of a submission. rows: its judgements, with their reports."""
    name = escape(submission["name"])
    yield _head(words.FEEDBACK_TITLE.format(name=name), "page")
    yield f"<h1>{name}</h1>"
    most = sum(row["max_points"] for row in rows)
    got = sum(row["points"] or 0.0 for row in rows)
    is_open = any(row["points"] is None for row in rows)
    if most:
        yield (
            f'<p class="muted">{_points(got, most)}{_open() if is_open else ""}'
            f"{' · ' + escape(submission['who']) if submission['who'] else ''}</p>"
        )
    if is_open:
        yield f'<p class="note">{escape(words.OPEN_NOTE)}</p>'
    for row in rows:
        yield _answer(row)
    for run in runs:
        yield _notebook(run)
    yield (
        f'<details class="rule card" open><summary>{escape(words.HOW_POINTS)}</summary>'
        f'<p class="small">{escape(words.POINTS_RULE)}</p></details>'
    )
    finished = max((row["finished"] for row in rows), default=time.time())
    date = time.strftime("%Y-%m-%d", time.localtime(finished))
    told = words.GRADED_BY.format(date=date, version=ringlab.__version__)
    yield f'<p class="muted small">{escape(told)}</p></main></body></html>\n'


def _answer(row: dict[str, Any]) -> str:
    title = escape(row["exercise"])
    points = escape(words.POINTS_OPEN)
    if row["points"] is not None:
        points = _points(row["points"], row["max_points"])
    body = themed(row["report"]) or f'<p class="card">{escape(row["message"])}</p>'
    return (
        f'<section class="answer" id="{title}"><header><h2>{title}</h2>{_mark(row, "")}'
        f'<span class="got">{points}</span></header>{body}</section>'
    )


def _notebook(run: dict[str, Any]) -> str:
    heading = words.NOTEBOOK_HEADING.format(lesson=run["lesson"])
    said = words.NOTEBOOK_RUNS_LONG if run["outcome"] == "runs" else run["message"]
    return f'<h2>{escape(heading)}</h2><p class="card">{escape(said)}</p>'


def _points(got: float, most: float) -> str:
    return words.POINTS_OF.format(points=number(got), most=number(most))


def _open() -> str:
    return f", {escape(words.POINTS_OPEN)}"


_THEME = {
    colours.PAPER: "paper",
    colours.INK: "ink",
    colours.MUTED: "muted",
    colours.LINE: "line",
    colours.CELL: "cell",
    colours.COMPLETE: "soft",
    colours.LIT: "lit",
}


def themed(report: str) -> str:
    """A report's fragment with the page's colours in place of its own, so that it can be dark."""

    def colour(match: re.Match[str]) -> str:
        text = match[0]
        for fixed, name in _THEME.items():
            text = text.replace(fixed, f"var(--{name})")
        return text

    return re.sub(r'style="[^"]*"', colour, report)


# The class


def index(book: Gradebook, left_out: Mapping[str, str], progress: Progress) -> Iterator[str]:
    """The class at a glance."""
    totals = _Totals(book)
    yield _head(words.TITLE)
    yield f"<h1>{escape(words.TITLE)}</h1>"
    yield f'<p class="muted small">{_when(book)}</p>'
    if progress.state != "done":
        text = words.STILL_RUNNING if progress.state == "running" else words.INTERRUPTED
        said = text.format(done=progress.done, count=progress.count)
        yield f'<p class="note">{escape(said)}</p>'
    yield from _unjudged(totals)
    yield _cards(totals)
    yield from _shield(book)
    yield from _exercises(totals)
    yield from _mistakes(totals)
    yield from _rows(book)
    yield from _left_out(left_out)
    yield (
        f'<details class="rule card"><summary>{escape(words.HOW_POINTS)}</summary>'
        f'<p class="small">{escape(words.POINTS_RULE)}</p></details>'
    )
    table = f'<a href="{files.TABLE}">{files.TABLE}</a>'
    yield (
        f'<p class="muted small">{words.FILES.format(csv=table, database="gradebook.sqlite")} '
        f"{words.SEED_NOTE.format(seed=book.seed, csv=files.TABLE)}</p>"
        f"</main><script>{SCRIPT}</script></body></html>\n"
    )


class _Totals:
    """What is counted over all judgements, in one pass that keeps none of them."""

    def __init__(self, book: Gradebook) -> None:
        self.submissions: int = 0
        self.kinds: Counter[str] = Counter()
        self.exercises: dict[str, Counter[str]] = {}
        self.points: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.unjudged: list[tuple[str, str, str, str]] = []
        self.mistakes: Counter[tuple[str, str, str]] = Counter()
        self.example: dict[tuple[str, str, str], tuple[str, str, str]] = {}
        last = None
        for row in book.all_judgements():
            if row["submission"] != last:
                last = row["submission"]
                self.submissions += 1
            self._count(row)

    def _count(self, row: dict[str, Any]) -> None:
        kind, exercise = kind_of(row), row["exercise"]
        self.kinds[kind] += 1
        if exercise != words.UNKNOWN_EXERCISE:
            self.exercises.setdefault(exercise, Counter())[kind] += 1
        if row["points"] is not None:
            self.points[exercise] += row["points"]
            self.most[exercise] += row["max_points"]
        where = _link(row)
        if kind == "could not be judged":
            if len(self.unjudged) < MOST_UNJUDGED:
                self.unjudged.append((where, row["name"], exercise, row["message"]))
        elif kind != "passed" and row["message"]:
            self._mistake(row, where)

    def _mistake(self, row: dict[str, Any], where: str) -> None:
        failed = [check for check in json.loads(row["checks"]) if not check["passed"]]
        name = failed[0]["name"] if failed else ""
        key = (row["exercise"], name, _pattern(row["message"]))
        if key in self.mistakes or len(self.mistakes) < MOST_KINDS:
            self.mistakes[key] += 1
            self.example.setdefault(key, (where, row["name"], row["message"]))


def _pattern(message: str) -> str:
    """A message without what differs from run to run: its numbers, and the case that it names."""
    told = re.sub(r"^On [^:]{1,80}: ", "", message)
    return re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "N", told)[:200]


def _link(row: Mapping[str, Any]) -> str:
    folder = files.folder_of(row["raw"])
    return f"{files.SUBMISSIONS}/{folder}/{files.FEEDBACK}"


def _when(book: Gradebook) -> str:
    last = book.runs()[-1:]
    moment = time.localtime(last[0]["ended"] or time.time() if last else time.time())
    date = time.strftime("%Y-%m-%d %H:%M", moment)
    return escape(words.GRADED_BY.format(date=date, version=ringlab.__version__))


def _unjudged(totals: _Totals) -> Iterator[str]:
    if not totals.unjudged:
        return
    yield f'<section class="alarm"><h2>{escape(words.UNJUDGED_HEADING)}</h2><ul>'
    for where, name, exercise, message in totals.unjudged:
        yield (
            f'<li><a href="{escape(where)}">{escape(name)}</a>'
            f" <code>{escape(exercise)}</code> {escape(message)}</li>"
        )
    more = totals.kinds["could not be judged"] - len(totals.unjudged)
    yield "</ul>" + (f"<p>{escape(words.UNJUDGED_MORE.format(count=more))}</p>" if more else "")
    yield "</section>"


def _cards(totals: _Totals) -> str:
    answers = sum(totals.kinds.values())
    unjudged = totals.kinds["could not be judged"]
    judged = answers - unjudged
    most = sum(totals.most.values())
    cards = [
        (str(totals.submissions), words.CARD_SUBMISSIONS, ""),
        (str(answers), words.CARD_ANSWERS, ""),
        (_rate(totals.kinds["passed"], judged), words.CARD_PASSED, ""),
        (_rate(sum(totals.points.values()), most), words.CARD_POINTS, ""),
        (str(unjudged), words.CARD_UNJUDGED, " open-card" if unjudged else ""),
    ]
    inside = "".join(
        f'<div class="card{more}"><b>{escape(value)}</b><span>{escape(name)}</span></div>'
        for value, name, more in cards
    )
    return f'<div class="cards">{inside}</div>'


def _rate(part: float, whole: float) -> str:
    return words.RATE.format(rate=100 * part / whole) if whole else "–"


def _shield(book: Gradebook) -> Iterator[str]:
    told = [json.loads(run["protection"]) for run in book.runs() if run["protection"]]
    if not told:
        return
    now = told[-1]
    name = words.PROTECTION_NAME.get(now["name"], now["name"])
    items = "".join(f"<li>✓ {escape(each)}</li>" for each in now["guarantees"])
    items += "".join(f"<li>✗ {escape(each)}</li>" for each in now["missing"])
    others = {each["name"] for each in told} - {now["name"]}
    if others:
        items += (
            f"<li>{escape(words.PROTECTION_MIXED.format(names=', '.join(sorted(others))))}</li>"
        )
    yield (
        f'<details class="shield card"{"" if now["guarantees"] else " open"}>'
        f"<summary>{escape(words.PROTECTION_HEADING)}: {escape(name)}</summary>"
        f"<ul>{items}</ul></details>"
    )


def _exercises(totals: _Totals) -> Iterator[str]:
    if not totals.exercises:
        return
    heads = "".join(
        f"<th{' class=number' if 0 < i < 4 else ''}>{escape(name)}</th>"
        for i, name in enumerate(words.EXERCISE_COLUMNS)
    )
    yield f'<h2>{escape(words.EXERCISES_HEADING)}</h2><div class="card table"><table class="rows">'
    yield f"<thead><tr>{heads}</tr></thead><tbody>"
    labels = words.EXERCISE_COLUMNS
    for exercise in _in_course_order(totals.exercises):
        kinds = totals.exercises[exercise]
        judged = sum(kinds.values()) - kinds["could not be judged"]
        mean = _rate(totals.points[exercise], totals.most[exercise])
        yield (
            f'<tr><td class="name"><code>{escape(exercise)}</code></td>'
            f'<td class="number" data-label="{labels[1]}">{_rate(kinds["passed"], judged)}</td>'
            f'<td class="number" data-label="{labels[2]}">{sum(kinds.values())}</td>'
            f'<td class="number" data-label="{labels[3]}">{mean}</td>'
            f'<td class="bars" data-label="{labels[4]}">{_bar(kinds)}</td></tr>'
        )
    keys = "".join(
        f'<span><span class="bar"><i class="{_css(kind)}"></i></span>'
        f"{escape(words.MARKS[kind])} {escape(words.MARK_WORDS[kind])}</span>"
        for kind in _KINDS
    )
    yield f'</tbody></table><div class="legend">{keys}</div></div>'


def _in_course_order(exercises: Mapping[str, Any]) -> list[str]:
    from ringlab import catalog

    order = [each.id for each in catalog.all_exercises()]
    return [each for each in order if each in exercises] + sorted(set(exercises) - set(order))


def _bar(kinds: Counter[str]) -> str:
    told = ", ".join(f"{kinds[kind]} {words.MARK_WORDS[kind]}" for kind in _KINDS if kinds[kind])
    parts = "".join(
        f'<i class="{_css(kind)}" style="flex:{kinds[kind]}"></i>' for kind in _KINDS if kinds[kind]
    )
    return (
        f'<div class="bar" role="img" aria-label="{escape(told)}" title="{escape(told)}">'
        f"{parts}</div>"
    )


def _css(kind: str) -> str:
    return kind.split()[0]


def _mistakes(totals: _Totals) -> Iterator[str]:
    common = totals.mistakes.most_common(MOST_MISTAKES)
    common = [each for i, each in enumerate(common) if each[1] > 1 or i < FEWEST_MISTAKES]
    if not common:
        return
    yield f'<h2>{escape(words.MISTAKES_HEADING)}</h2><ol class="mistakes card">'
    for key, count in common:
        exercise, name, _ = key
        where, submission, message = totals.example[key]
        link = f'<a href="{escape(where)}#{escape(exercise)}">{escape(plain(submission, 60))}</a>'
        yield (
            f"<li><b>{escape(words.MISTAKE_COUNT.format(count=count))}</b>"
            f"<p><code>{escape(exercise)}</code> · {escape(name)}<br>"
            f'{escape(plain(message, 300))} <span class="muted small">'
            f"{words.MISTAKE_SEEN.format(link=link)}</span></p></li>"
        )
    yield "</ol>"


def _rows(book: Gradebook) -> Iterator[str]:
    columns = _columns(book)
    heads = "".join(
        f'<th aria-sort="none" class="w-{key}{_numeric(key)}">'
        f'<button type="button">{escape(name)}</button></th>'
        for key, name in columns.items()
    )
    choices = "".join(
        f'<option value="{_css(kind)}">{escape(words.MARK_WORDS[kind])}</option>' for kind in _KINDS
    )
    yield (
        f"<h2>{escape(words.SUBMISSIONS_HEADING)}</h2>"
        f'<div class="tools"><input id="filter" type="search" placeholder="{words.FILTER}" '
        f'aria-label="{words.FILTER}"><label>{words.FILTER_VERDICT} <select id="verdict">'
        f'<option value="">{words.FILTER_ALL}</option>{choices}</select></label>'
        f'<span id="shown" class="muted small" role="status" '
        f'data-text="{escape(words.FILTER_SHOWN)}"></span></div>'
        f'<div class="card table"><table id="rows" class="rows"><thead><tr>{heads}</tr></thead>'
        f"<tbody>"
    )
    for submission in book.submissions():
        yield _row(submission, book, "notebook" in columns)
    yield "</tbody></table></div>"


def _numeric(key: str) -> str:
    return " number" if key in ("points", "share") else ""


def _columns(book: Gradebook) -> dict[str, str]:
    """The table's columns by name; that of the notebooks only where any has been run."""
    names = dict(words.COLUMNS)
    if not book.ran_notebooks():
        del names["notebook"]
    return names


def _row(submission: Mapping[str, Any], book: Gradebook, has_notebooks: bool) -> str:
    rows = book.judgements(submission["id"])
    most = sum(row["max_points"] for row in rows)
    got = sum(row["points"] or 0.0 for row in rows)
    is_open = any(row["points"] is None for row in rows)
    where = _link(submission)
    marks = "".join(_mark(row, where) for row in rows)
    message = next((row["private"] or row["message"] for row in rows if row["message"]), "")
    points = f"{number(got)} / {number(most)}" if most else ""
    share = _rate(got, most) if most else ""
    if is_open:
        points, share = f"{points} ?".strip(), f"{share} ?".strip()
    labels = words.COLUMNS
    passed = sum(row["verdict"] == "passed" for row in rows)
    verdicts = " ".join(sorted({_css(kind_of(row)) for row in rows}))
    who = escape(submission["who"]) or f'<span class="muted">{escape(words.SOMEBODY)}</span>'
    order = got / most if most else -1
    name = escape(plain(submission["name"], NAME_LIMIT))
    notebook = ""
    if has_notebooks:
        told = escape(notebook_in_short(book.notebook_runs(submission["id"])))
        notebook = f'<td data-label="{labels["notebook"]}">{told}</td>'
    return (
        f'<tr data-verdicts="{verdicts}"><td class="name">{who}</td>'
        f'<td class="name"><a href="{escape(where)}">{name}</a></td>'
        f'<td class="number" data-label="{labels["points"]}" data-sort="{got:g}">{points}</td>'
        f'<td class="number" data-label="{labels["share"]}" data-sort="{order:.4f}">{share}</td>'
        f'<td data-sort="{passed}"><div class="marks">{marks}</div></td>'
        f'{notebook}<td class="message"><span>{escape(plain(message, 400))}</span></td></tr>\n'
    )


def _mark(row: Mapping[str, Any], where: str) -> str:
    kind = kind_of(row)
    css, sign, told = _css(kind), words.MARKS[kind], words.MARK_WORDS[kind]
    if not where:
        return f'<span class="mark {css}"><b>{sign}</b>{escape(told)}</span>'
    exercise = escape(row["exercise"])
    return (
        f'<a class="mark {css}" href="{escape(where)}#{exercise}" title="{escape(told)}">'
        f"<b>{sign}</b>{exercise}</a>"
    )


def _left_out(left_out: Mapping[str, str]) -> Iterator[str]:
    if not left_out:
        return
    yield f'<h2>{escape(words.LEFT_OUT_HEADING)}</h2><div class="card"><ul class="plain">'
    for name, why in list(left_out.items())[:MOST_LEFT_OUT]:
        yield f'<li>{escape(name)} <span class="muted">{escape(why)}</span></li>'
    more = len(left_out) - MOST_LEFT_OUT
    if more > 0:
        yield f"<li>{escape(words.LEFT_OUT_MORE.format(count=more))}</li>"
    yield "</ul></div>"


def _head(title: str, kind: str = "class") -> str:
    """title: as HTML. kind: "class" for the wide page of a class, "page" for one to read."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">"
        '<meta name="robots" content="noindex"><link rel="icon" href="data:,">'
        f"<title>{title}</title><style>{CSS}</style></head>"
        f'<body class="{kind}"><main>'
    )
