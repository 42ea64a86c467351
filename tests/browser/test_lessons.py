"""Lessons 3 and 4 as a learner has them: a real browser, a real kernel, real ranks.

What is on the screen is compared with what the schedule says for that step.
"""

from __future__ import annotations

import json
import shutil
import statistics
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import harness
import pytest
from screen import PlayerOnPage, compare, read_screen

from ringlab import algorithms
from ringlab.schedule import simulate

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
WRONG = ROOT / "tests/answers/ring_all_reduce/wrong"
LESSON_3, LESSON_4 = "03_ring_on_paper.ipynb", "04_ring_on_real_ranks.ipynb"
LIT_LINE = "for work in dist.batch_isend_irecv(exchange):"

ring = algorithms.get("ring")
RING = simulate(ring(4))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Lab]:
    folder = tmp_path_factory.mktemp("work")
    for name in (LESSON_3, LESSON_4):
        shutil.copyfile(ROOT / "notebooks" / name, folder / name)
    with harness.jupyter(folder) as served:
        yield served


@pytest.fixture(scope="module")
def lesson_3(chromium: Browser, lab: harness.Lab) -> Iterator[Page]:
    yield from opened(chromium, lab, LESSON_3)


@pytest.fixture(scope="module")
def lesson_4(chromium: Browser, lab: harness.Lab) -> Iterator[Page]:
    yield from opened(chromium, lab, LESSON_4)


def opened(chromium: Browser, lab: harness.Lab, name: str) -> Iterator[Page]:
    """The notebook after all its cells have run, those behind an unsolved check too."""
    page = harness.open_notebook(chromium, lab, name)
    harness.run_all(page)
    unsolved = harness.find_cell(page, "lab.check(")
    harness.run_below(page, unsolved + 1)
    yield page
    page.close()


def run_counts(page: Page) -> list[int | None]:
    """How each code cell was counted by the kernel, None for one that has not run."""
    counts: list[int | None] = page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.widgets
            .filter(cell => cell.model.type === 'code')
            .map(cell => cell.model.executionCount)"""
    )
    return counts


def failed_cells(page: Page) -> list[str]:
    """The sources of the cells whose output is an error."""
    sources: list[str] = page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.widgets
            .filter(cell => cell.model.type === 'code'
                && cell.model.outputs.toJSON().some(output => output.output_type === 'error'))
            .map(cell => cell.model.sharedModel.getSource())"""
    )
    return sources


def ask_kernel(page: Page, expression: str) -> str:
    """What an expression is in the kernel, beside the notebook: no cell counts as run."""
    answer: dict[str, Any] = page.evaluate(
        """async expression => {
            const session = window.jupyterapp.shell.currentWidget.sessionContext.session;
            const future = session.kernel.requestExecute({
                code: '', silent: true, store_history: false,
                user_expressions: {asked: expression}});
            return (await future.done).content.user_expressions.asked;
        }""",
        expression,
    )
    return str(answer["data"]["text/plain"])


def type_answer(page: Page, exercise: str, source: str) -> None:
    """Type an answer into the TODO cell, over what is there, and run it from the keyboard."""
    index = harness.find_cell(page, f"def {exercise}(")
    harness.select(page, index)
    page.locator(".jp-Cell.jp-mod-active .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
    assert harness.cell_sources(page)[index] == source
    page.keyboard.press("Shift+Enter")
    wait_for_active(page, index + 1)
    harness.wait_for_idle(page)


def wait_for_active(page: Page, index: int) -> None:
    page.wait_for_function(
        "index => window.jupyterapp.shell.currentWidget.content.activeCellIndex === index",
        arg=index,
    )


def run_check(page: Page, exercise: str) -> int:
    """Run the check cell; its number."""
    index = harness.find_cell(page, f"lab.check({exercise})")
    harness.run_cell(page, index)
    return index


def error_lines(page: Page, index: int) -> list[str]:
    """The lines of a cell's error, as they stand on the screen."""
    found = harness.output(page, index).query_selector_all(
        "[data-mime-type*='jupyter.error'], [data-mime-type*='jupyter.stderr']"
    )
    return [line for part in found for line in part.inner_text().splitlines() if line.strip()]


def player_of(page: Page, text: str) -> PlayerOnPage:
    """The player under the cell that contains text, scrolled into view."""
    index = harness.find_cell(page, text)
    harness.output(page, index)
    return PlayerOnPage(page, index)


@pytest.mark.parametrize("lesson", ["lesson_3", "lesson_4"])
def test_a_lesson_runs_from_top_to_bottom(request: pytest.FixtureRequest, lesson: str) -> None:
    page: Page = request.getfixturevalue(lesson)
    assert None not in run_counts(page)
    exercise = {"lesson_3": "ring_step", "lesson_4": "ring_all_reduce"}[lesson]
    assert failed_cells(page) == [f"lab.check({exercise})"]
    assert harness.page_errors(page) == []


def test_an_unsolved_check_is_a_report_and_one_line(lesson_3: Page) -> None:
    check = harness.find_cell(lesson_3, "lab.check(ring_step)")
    said = harness.output_text(lesson_3, check)
    assert "✗ ring_step: failed" in said
    assert "It is not written yet" in said and "raise NotImplementedError" in said
    lines = error_lines(lesson_3, check)
    assert len(lines) == 1 and lines[0].startswith("ring_step: not passed yet.")
    assert "Traceback" not in said
    harness.screenshot(lesson_3, "lesson-3-unsolved", harness.output(lesson_3, check))


def test_the_buttons_step_through_the_ring(lesson_3: Page) -> None:
    player = player_of(lesson_3, "lab.show(lab.algorithms.ring(4))")
    player.press("reset")
    player.shows(RING, 0)
    for step in range(1, 7):
        player.press("next")
        player.shows(RING, step)
        harness.screenshot(
            lesson_3, f"lesson-3-step-{step}", harness.output(lesson_3, player.index)
        )
    player.press("prev")
    player.shows(RING, 5)
    player.press("reset")
    player.shows(RING, 0)


def where_the_notebook_is(page: Page) -> list[Any]:
    place: list[Any] = page.evaluate(
        """() => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            const outer = notebook.node.querySelector('.jp-WindowedPanel-outer');
            return [notebook.activeCellIndex, notebook.mode, (outer || notebook.node).scrollTop];
        }"""
    )
    return place


def test_arrow_keys_step_and_the_notebook_stays_where_it_is(lesson_3: Page) -> None:
    player = player_of(lesson_3, "lab.show(lab.algorithms.ring(4))")
    player.press("reset")
    player.shows(RING, 0)
    player.focus_slider()
    place = where_the_notebook_is(lesson_3)
    step = 0
    for key, way in (("Right", 1), ("Up", 1), ("Right", 1), ("Left", -1), ("Down", -1)):
        lesson_3.keyboard.press(f"Arrow{key}")
        step += way
        player.shows(RING, step)
        assert where_the_notebook_is(lesson_3) == place
    # The same key moves the notebook when the slider hasn't the focus, so a move would be seen.
    lesson_3.locator(".jp-Cell.jp-mod-active").focus()
    lesson_3.keyboard.press("ArrowDown")
    wait_for_active(lesson_3, player.index + 1)


def test_it_plays_every_step_once(lesson_3: Page) -> None:
    player = player_of(lesson_3, "lab.show(lab.algorithms.ring(4))")
    player.press("reset")
    player.shows(RING, 0)
    player.keep_steps()
    player.press("play")
    player.shows(RING, 6)
    assert player.kept_steps() == [*(f"step {step}" for step in range(6)), "after step 5"]
    lesson_3.wait_for_function(
        "button => button.innerText.trim() === 'Play'", arg=player.control("play")
    )


PLAYERS = (
    "sorted((player._model_id, player.step, player._clock.playing) for player in "
    "__import__('gc').get_objects() if type(player).__name__ == 'Player' and player.comm)"
)


def test_a_cell_run_again_while_it_plays_makes_no_stray_steps(lesson_3: Page) -> None:
    player = player_of(lesson_3, "lab.show(lab.algorithms.ring(4))")
    player.press("reset")
    player.shows(RING, 0)
    player.press("play")
    player.wait_for_step(2, 5)
    old = {name: (step, playing) for name, step, playing in eval(ask_kernel(lesson_3, PLAYERS))}
    assert [playing for _, playing in old.values()].count(True) == 1

    harness.run_cell(lesson_3, player.index)
    player.shows(RING, 0)
    left = {name: (step, playing) for name, step, playing in eval(ask_kernel(lesson_3, PLAYERS))}
    assert True not in [playing for _, playing in left.values()]

    # The new player's own clock is the measure of time: it plays to the end, undisturbed, and the
    # old player has not moved meanwhile.
    player.keep_steps()
    player.press("play")
    player.shows(RING, 6)
    assert player.kept_steps() == [*(f"step {step}" for step in range(6)), "after step 5"]
    then = {name: step for name, step, _ in eval(ask_kernel(lesson_3, PLAYERS))}
    assert {name: then[name] for name in old} == {name: left[name][0] for name in old}
    assert "model not found" not in harness.output_text(lesson_3, player.index)


def test_a_lost_message_is_seen_in_the_picture(lesson_3: Page) -> None:
    player = player_of(lesson_3, "lab.show(lab.simulate(broken")
    steps = list(ring(4).steps)
    kept = tuple(t for t in steps[1].transfers if t.src != 2)
    steps[1] = replace(steps[1], transfers=kept)
    broken = simulate(replace(ring(4), steps=tuple(steps)), strict=False)
    player.press("reset")
    for step in range(1, 7):
        player.press("next")
        player.wait_for_step(step, 5)
    end = read_screen(lesson_3, player.index)
    assert end.parts == {
        (rank, chunk): content.ranks
        for rank, row in enumerate(broken.states[6])
        for chunk, content in enumerate(row)
    }
    assert "Over, but not right: 4 of 16 chunks" in end.said
    assert end.said.count("✗ lacks 1–2") == 4
    harness.screenshot(lesson_3, "lesson-3-broken", harness.output(lesson_3, player.index))


def test_a_solved_rule_is_played_for_five_ranks(lesson_3: Page) -> None:
    type_answer(lesson_3, "ring_step", (ROOT / "solutions/ring_step.py").read_text("utf-8"))
    check = run_check(lesson_3, "ring_step")
    harness.wait_for_text(lesson_3, check, "✓ ring_step: passed")
    assert error_lines(lesson_3, check) == []

    shows = harness.find_cell(lesson_3, "def schedule_from")
    harness.run_cell(lesson_3, shows)
    player = player_of(lesson_3, "def schedule_from")
    for step in range(9):
        player.shows(simulate(ring(5)), step)
        player.press("next")
    harness.screenshot(lesson_3, "lesson-3-solved", harness.output(lesson_3, shows))


def test_a_click_is_followed_by_its_picture(lesson_3: Page) -> None:
    """The time it takes is kept with the screenshots; what is promised is the right picture."""
    index = harness.find_cell(lesson_3, "lab.show(lab.algorithms.ring(4))")
    taken = {}
    for size in (8, 16):
        harness.write_cell(lesson_3, index, f"lab.show(lab.algorithms.ring({size}))")
        harness.run_cell(lesson_3, index)
        player = player_of(lesson_3, f"lab.show(lab.algorithms.ring({size}))")
        player.wait_for_step(0, 2 * size - 3)
        times = [player.click_to_picture() for _ in range(2 * size - 2)]
        player.wait_for("after step")
        taken[f"{size} ranks"] = {"median ms": statistics.median(times), "worst ms": max(times)}
        if size == 8:
            compare(read_screen(lesson_3, index), simulate(ring(8)), 14)
        harness.screenshot(lesson_3, f"ring-{size}", harness.output(lesson_3, index))
    (harness.artifacts() / "click-to-picture.json").write_text(json.dumps(taken, indent=1))
    harness.write_cell(lesson_3, index, "lab.show(lab.algorithms.ring(4))")
    harness.run_cell(lesson_3, index)


def test_what_needs_an_answer_waits_for_it(lesson_4: Page) -> None:
    for call in ("lab.watch(ring_all_reduce, 4))", "lab.traffic(ring_all_reduce"):
        index = harness.find_cell(lesson_4, call)
        said = harness.output_text(lesson_4, index)
        assert "ring_all_reduce is not written yet." in said
        assert error_lines(lesson_4, index) == []


def test_a_wrong_answer_hears_which_part_was_lost_where(lesson_4: Page) -> None:
    source = (WRONG / "overwrites_in_the_reduce_scatter.py").read_text("utf-8")
    line = 1 + next(i for i, text in enumerate(source.splitlines()) if "dist.recv(" in text)
    type_answer(lesson_4, "ring_all_reduce", source)
    check = run_check(lesson_4, "ring_all_reduce")
    harness.wait_for_text(lesson_4, check, "✗ ring_all_reduce: failed")
    said = harness.output_text(lesson_4, check)
    assert f"At step 0 the message from rank 3 overwrites chunk 3 on rank 0 (line {line})" in said
    assert f"rank 0 · line {line}" in said
    assert "dist.recv(chunks[(rank - step - 1) % size]" in said
    assert len(error_lines(lesson_4, check)) == 1 and "Traceback" not in said

    player = PlayerOnPage(lesson_4, check)
    player.wait_for_step(0, 5)
    screen = read_screen(lesson_4, check)
    assert screen.overwrites == {(0, 3), (1, 0), (2, 1), (3, 2)} and screen.adds == frozenset()
    assert [(number, does) for number, _, does in screen.lit] == [
        (line - 1, "send"),
        (line, "receive"),
    ]
    harness.screenshot(lesson_4, "lesson-4-wrong", harness.output(lesson_4, check))


def test_a_dropped_remainder_is_named(lesson_4: Page) -> None:
    type_answer(lesson_4, "ring_all_reduce", (WRONG / "remainder_dropped.py").read_text("utf-8"))
    check = run_check(lesson_4, "ring_all_reduce")
    harness.wait_for_text(lesson_4, check, "✗ ring_all_reduce: failed")
    assert "remainder is dropped" in harness.output_text(lesson_4, check)
    player = PlayerOnPage(lesson_4, check)
    for _ in range(6):
        player.press("next")
    player.wait_for("after step 5 · not right")
    screen = read_screen(lesson_4, check)
    assert "Rank 1's part of chunk 4 is missing on rank 0: it never left rank 1." in screen.said
    assert [screen.parts[rank, 4] for rank in range(4)] == [(0,), (1,), (2,), (3,)]


def test_a_right_answer_passes_and_its_own_run_is_played(lesson_4: Page) -> None:
    source = (ROOT / "solutions/ring_all_reduce.py").read_text("utf-8")
    line = 1 + next(i for i, text in enumerate(source.splitlines()) if LIT_LINE in text)
    type_answer(lesson_4, "ring_all_reduce", source)
    check = run_check(lesson_4, "ring_all_reduce")
    harness.wait_for_text(lesson_4, check, "✓ ring_all_reduce: passed")
    assert error_lines(lesson_4, check) == []
    harness.screenshot(lesson_4, "lesson-4-passed", harness.output(lesson_4, check))

    # Four real ranks did what the ring on paper does, element by element.
    for call, sizes in (("4))", (2, 2, 2, 2)), ("4, elements=7))", (2, 2, 2, 1))):
        index = harness.find_cell(lesson_4, f"lab.show(lab.watch(ring_all_reduce, {call}")
        harness.run_cell(lesson_4, index)
        player = PlayerOnPage(lesson_4, index)
        on_paper = replace(simulate(ring(4, sizes)), element_bytes=8)
        for step in range(7):
            player.wait_for_step(step, 5)
            screen = read_screen(lesson_4, index)
            compare(screen, without_phases(on_paper), step)
            lit = ((line, LIT_LINE, "send, receive"),) if step < 6 else ()
            assert screen.lit == lit
            if step == 1:
                harness.screenshot(
                    lesson_4, f"lesson-4-own-run-{sum(sizes)}", harness.output(lesson_4, index)
                )
            player.press("next")
    assert harness.page_errors(lesson_4) == []


def without_phases(playback: Any) -> Any:
    """A recorded run doesn't know what its phases are called."""
    steps = tuple(replace(step, phase="") for step in playback.schedule.steps)
    return replace(playback, schedule=replace(playback.schedule, steps=steps))
