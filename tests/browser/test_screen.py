"""What reads the screen for the lessons' tests sees what a picture says, and what it says wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from screen import compare, read_screen

from ringlab import algorithms
from ringlab.schedule import Content, Playback, Schedule, simulate
from ringlab.view import draw

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ring = algorithms.get("ring")
RING = simulate(ring(4))
STEP = 1


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A page with a single cell, and no JupyterLab around it."""
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    page.set_content("<div id='cell'><div class='ringlab-picture'></div></div>")
    page.evaluate(
        """() => {
            const cell = {node: document.querySelector('#cell')};
            window.jupyterapp = {shell: {currentWidget: {content: {widgets: [cell]}}}};
        }"""
    )
    yield page
    page.close()


def put(page: Page, svg: str) -> None:
    page.evaluate("svg => { document.querySelector('.ringlab-picture').innerHTML = svg; }", svg)


@pytest.mark.parametrize("size", [3, 4, 5, 8])
def test_every_step_of_a_ring_is_read_back(page: Page, size: int) -> None:
    playback = simulate(ring(size))
    for step in range(2 * size - 1):
        put(page, draw(playback, step))
        compare(read_screen(page, 0), playback, step)


def with_step(**changes: object) -> Schedule:
    """The ring with its first message of the step changed."""
    steps = list(RING.schedule.steps)
    first, *others = steps[STEP].transfers
    steps[STEP] = replace(steps[STEP], transfers=(replace(first, **changes), *others))  # type: ignore[arg-type]
    return replace(RING.schedule, steps=tuple(steps))


def with_part(rank: int, chunk: int, content: Content) -> Playback:
    state = [list(row) for row in RING.states[STEP]]
    state[rank][chunk] = content
    states = list(RING.states)
    states[STEP] = tuple(map(tuple, state))
    return replace(RING, states=tuple(states))


def renamed() -> Playback:
    steps = tuple(replace(step, phase="all-gather") for step in RING.schedule.steps)
    return replace(RING, schedule=replace(RING.schedule, steps=steps))


WRONG = {
    "another step": draw(RING, STEP + 1),
    "a part too many": draw(with_part(2, 3, Content((0, 1, 1, 0))), STEP),
    "a part in another's place": draw(with_part(2, 3, Content((0, 1, 0, 0))), STEP),
    "another receiver": draw(replace(RING, schedule=with_step(dst=3)), STEP),
    "another chunk": draw(replace(RING, schedule=with_step(chunks=(1,))), STEP),
    "overwrites for adds": draw(replace(RING, schedule=with_step(reduce=False)), STEP),
    "another phase": draw(renamed(), STEP),
    "twice the bytes": draw(replace(RING, element_bytes=8), STEP),
    "an arrow less": draw(RING, STEP).replace('fill="#1F2933"/><path', 'fill="none"/><path', 1),
    "another sentence": draw(RING, STEP).replace("to rank 1, which", "to rank 2, which"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_picture_is_seen(page: Page, wrong: str) -> None:
    put(page, WRONG[wrong])
    with pytest.raises(AssertionError):
        compare(read_screen(page, 0), RING, STEP)


def test_the_lit_lines_are_read_back(page: Page) -> None:
    steps = list(RING.schedule.steps)
    lit = tuple(replace(t, send_line=2, recv_line=3) for t in steps[0].transfers)
    steps[0] = replace(steps[0], transfers=lit)
    run = replace(RING, schedule=replace(RING.schedule, steps=tuple(steps)), source="a\n  b()\nc()")
    put(page, draw(run, 0))
    assert read_screen(page, 0).lit == ((2, "b()", "send"), (3, "c()", "receive"))
    put(page, draw(run, 1))
    assert read_screen(page, 0).lit == ()
