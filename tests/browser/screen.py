"""What a player shows on a page, read back from the rendered picture and not from its markup.

Letters and boxes are taken from where the browser drew them, so a number in the wrong cell, an
arrow to the wrong rank or the wrong lit line is seen as a reader would see it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ringlab.schedule import Playback

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Page

Cell = tuple[int, int]
"""Rank and chunk."""

_CELL = "window.jupyterapp.shell.currentWidget.content.widgets[index].node"
_PICTURE = f"{_CELL}.querySelector('.ringlab-picture svg')"

_READ = f"""index => {{
    const svg = {_PICTURE};
    const back = svg.getScreenCTM().inverse();
    const there = (x, y) => new DOMPoint(x, y).matrixTransform(back);
    const box = rect => {{
        const a = there(rect.left, rect.top), b = there(rect.right, rect.bottom);
        return [a.x, a.y, b.x, b.y];
    }};
    const texts = [], letters = [];
    for (const text of svg.querySelectorAll('text')) {{
        if (!text.textContent) continue;
        texts.push([text.textContent, ...box(text.getBoundingClientRect())]);
        const matrix = text.getScreenCTM();
        for (let i = 0; i < text.getNumberOfChars(); i++) {{
            const e = text.getExtentOfChar(i);
            const p = new DOMPoint(e.x + e.width / 2, e.y + e.height / 2).matrixTransform(matrix);
            const q = there(p.x, p.y);
            letters.push([text.textContent[i], q.x, q.y]);
        }}
    }}
    const shapes = [...svg.querySelectorAll('rect, circle, path')].map(shape => [
        shape.tagName, getComputedStyle(shape).fill, ...box(shape.getBoundingClientRect())]);
    return {{texts, letters, shapes, visible: svg.getBoundingClientRect().height > 0}};
}}"""

_LIT = "rgb(255, 240, 179)"
_INK = "rgb(31, 41, 51)"


@dataclass(frozen=True)
class Screen:
    """A player's picture, in the words of a reader."""

    said: str
    """All its text, words apart by one space."""
    parts: dict[Cell, tuple[int, ...]]
    """Whose parts are in each chunk on each rank."""
    sends: frozenset[Cell]
    adds: frozenset[Cell]
    overwrites: frozenset[Cell]
    messages: frozenset[tuple[int, int]]
    """Rank that an arrow points to, and the chunk in the box on that arrow. Rings only."""
    lit: tuple[tuple[int, str, str], ...]
    """Line number, code and what it does, of the learner's lines that are lit."""


def read_screen(page: Page, index: int) -> Screen:
    """The picture of the player that a cell shows."""
    found: dict[str, Any] = page.evaluate(_READ, index)
    assert found["visible"]
    texts = [(str(t), (x0 + x1) / 2, (y0 + y1) / 2) for t, x0, y0, x1, y1 in found["texts"]]
    table_x = next(x0 for t, x0, *_ in found["texts"] if t.startswith("who is in which chunk"))
    numbers = [(t, x, y) for t, x, y in texts if t.isdigit()]
    rows = {int(t): y for t, x, y in numbers if table_x - 36 < x < table_x - 4}
    columns = {
        int(t.split()[1]): x
        for t, x, y in texts
        if re.fullmatch(r"chunk \d+", t) and x > table_x and y < rows[0]
    }
    last_x = max(columns.values()) + (columns[1] - columns[0]) / 2
    half = (rows[1] - rows[0]) / 2

    def cell(x: float, y: float) -> Cell | None:
        if not (table_x < x < last_x and rows[0] - half < y < rows[len(rows) - 1] + half):
            return None
        return (
            min(rows, key=lambda rank: abs(rows[rank] - y)),
            min(columns, key=lambda chunk: abs(columns[chunk] - x)),
        )

    parts: dict[Cell, list[int]] = {(r, c): [] for r in rows for c in columns}
    labelled = {mark: set[Cell]() for mark in "→+="}
    for text, x, y in texts:
        place = cell(x, y)
        if place and not set(text) <= set("0123456789"):
            for mark in labelled:
                if mark in text:
                    labelled[mark].add(place)
    for letter, x, y in found["letters"]:
        place = cell(x, y)
        # In its cell a part's number stands above the label.
        if place and letter.isdigit() and y < rows[place[0]] + 2:
            parts[place].append(int(letter))
    return Screen(
        said=" ".join(" ".join(t for t, *_ in texts).split()),
        parts={place: tuple(sorted(found)) for place, found in parts.items()},
        sends=frozenset(labelled["→"]),
        adds=frozenset(labelled["+"]),
        overwrites=frozenset(labelled["="]),
        messages=_messages(texts, found["shapes"], table_x),
        lit=_lit(texts, found["shapes"]),
    )


def _messages(
    texts: list[tuple[str, float, float]], shapes: list[Any], table_x: float
) -> frozenset[tuple[int, int]]:
    """Each arrow head with the nearest rank ahead of it, and the nearest message box behind it."""
    left = table_x - 40
    ranks = {int(t): (x, y) for t, x, y in texts if t.isdigit() and x < left and y < 500}
    boxes = {
        int(t.split()[1]): (x, y) for t, x, y in texts if re.fullmatch(r"chunk \d+", t) and x < left
    }

    def near(spot: tuple[float, float], spots: dict[int, tuple[float, float]]) -> int:
        return min(spots, key=lambda n: (spots[n][0] - spot[0]) ** 2 + (spots[n][1] - spot[1]) ** 2)

    heads = [
        ((x0 + x1) / 2, (y0 + y1) / 2)
        for tag, fill, x0, y0, x1, y1 in shapes
        if tag == "path" and fill == _INK and x1 < left and max(x1 - x0, y1 - y0) < 16
    ]
    return frozenset((near(head, ranks), near(head, boxes)) for head in heads)


def _lit(
    texts: list[tuple[str, float, float]], shapes: list[Any]
) -> tuple[tuple[int, str, str], ...]:
    lines = []
    for tag, fill, x0, y0, x1, y1 in shapes:
        if tag == "rect" and fill == _LIT:
            inside = sorted((x, t) for t, x, y in texts if x0 <= x <= x1 and y0 <= y <= y1)
            number, code, does = (t.replace("\u00a0", " ").strip() for _, t in inside)
            lines.append((int(number), code, does))
    return tuple(sorted(lines))


def expected_parts(playback: Playback, step: int) -> dict[Cell, tuple[int, ...]]:
    return {
        (rank, chunk): content.ranks
        for rank, row in enumerate(playback.states[step])
        for chunk, content in enumerate(row)
    }


def compare(screen: Screen, playback: Playback, step: int) -> None:
    """Assert that a picture shows a step of a playback: every cell, message, word and byte."""
    schedule = playback.schedule
    steps, last = schedule.steps, len(schedule.steps) - 1
    transfers = steps[step].transfers if step <= last else ()
    adding = {(t.dst, c) for t in transfers if t.reduce for c in t.places}
    landing = {(t.dst, c) for t in transfers for c in t.places}

    assert screen.parts == expected_parts(playback, step)
    assert screen.sends == {(t.src, c) for t in transfers for c in t.chunks}
    assert screen.adds == adding
    assert screen.overwrites == landing - adding
    assert screen.messages == {(t.dst, c) for t in transfers for c in t.chunks}

    heading = f"step {step} of 0–{last}" if step <= last else f"after step {last} · done"
    assert heading in screen.said
    if step <= last and steps[step].phase:
        assert f"{heading} · {steps[step].phase}" in screen.said
    assert caption_start(playback, step) in screen.said

    everything = schedule.busiest_bytes(playback.element_bytes)
    totals = [schedule.bytes_sent_by(r, playback.element_bytes) for r in range(schedule.world_size)]
    sent = schedule.bytes_sent_before(step, playback.element_bytes)[totals.index(everything)]
    unit, name = (1 << 20, "MiB") if everything >= 1 << 20 else (1, "B")
    count = f"{schedule.messages_before(step)} of {schedule.messages} messages"
    assert f"all ranks: {count}" in screen.said
    assert f"{sent // unit} of {everything // unit} {name}, " in screen.said


def caption_start(playback: Playback, step: int) -> str:
    """What the sentence of a ring's step must say, worked out from what its messages carry."""
    steps = playback.schedule.steps
    if step == len(steps):
        return "Done: every rank holds every chunk, with each rank's part in it once."
    index, first = min(enumerate(steps[step].transfers), key=lambda pair: pair[1].src)
    held = len(playback.carried[step][index][0].ranks)
    holding = "so far its own part alone" if held == 1 else f"now the sum of {held} ranks"
    if held == playback.schedule.world_size:
        holding = "complete"
    does = "adds it to what it has" if first.reduce else "puts it in the place of what it had"
    return (
        f"Rank {first.src} passes chunk {first.chunks[0]}, {holding}, to rank {first.dst}, "
        f"which {does}."
    )


class PlayerOnPage:
    """The player in the output of a cell, worked as a reader works it."""

    def __init__(self, page: Page, index: int) -> None:
        self.page, self.index = page, index

    def control(self, name: str) -> ElementHandle:
        """The control with the class ``ringlab-NAME``, as it is on the page now."""
        handle = self.page.wait_for_function(
            f"([index, name]) => {_CELL}.querySelector('.ringlab-' + name)", arg=[self.index, name]
        ).as_element()
        assert handle is not None
        return handle

    def press(self, name: str) -> None:
        self.control(name).click()

    def focus_slider(self) -> None:
        handle = self.control("slider").query_selector(".noUi-handle")
        assert handle is not None
        handle.focus()

    def wait_for(self, words: str) -> None:
        """Until the picture says something."""
        self.page.wait_for_function(
            f"([index, words]) => {{ const svg = {_PICTURE};"
            " return svg !== null && svg.textContent.includes(words); }",
            arg=[self.index, words],
        )

    def wait_for_step(self, step: int, last: int) -> None:
        self.wait_for(f"step {step} of 0–{last}" if step <= last else f"after step {last}")

    def shows(self, playback: Playback, step: int) -> None:
        """Wait for a step, then compare all that the picture shows with it."""
        self.wait_for_step(step, len(playback.schedule.steps) - 1)
        compare(read_screen(self.page, self.index), playback, step)

    def keep_steps(self) -> None:
        """From now on the page keeps every step that the picture shows."""
        self.page.evaluate(
            f"""index => {{
                const node = {_CELL}.querySelector('.ringlab-picture');
                const step = () => node.querySelector('svg title').parentNode.textContent
                    .match(/(after step|step) (\\d+)/).slice(1, 3).join(' ');
                window.ringlabSteps = [step()];
                new MutationObserver(() => {{
                    if (window.ringlabSteps.at(-1) !== step()) window.ringlabSteps.push(step());
                }}).observe(node, {{childList: true, subtree: true}});
            }}""",
            self.index,
        )

    def kept_steps(self) -> list[str]:
        steps: list[str] = self.page.evaluate("() => window.ringlabSteps")
        return steps

    def click_to_picture(self) -> float:
        """Milliseconds from a click on Next until the changed picture has been drawn."""
        taken: float = self.page.evaluate(
            f"""index => new Promise(done => {{
                const node = {_CELL};
                let begin = 0;
                new MutationObserver((_, observer) => {{
                    observer.disconnect();
                    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
                }}).observe(node.querySelector('.ringlab-picture'),
                            {{childList: true, subtree: true}});
                begin = performance.now();
                node.querySelector('.ringlab-next').click();
            }})""",
            self.index,
        )
        return taken
