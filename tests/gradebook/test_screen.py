"""The class at a glance in a real browser: sorted by a click, filtered, readable on a phone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ringlab.gradebook import files, pages
from ringlab.gradebook.discover import Handed, Plan
from ringlab.gradebook.pages import Progress
from ringlab.gradebook.store import Gradebook, Judgement

pytestmark = pytest.mark.alone
BROWSER = Path(__file__).parents[1] / "browser"
LONG = "a_very_long_name_" * 12
PASSED = Judgement("ring_step", "passed", 5.0, 5.0, 1.5, "")
PARTLY = replace(PASSED, verdict="failed", points=0.71, message="On 4 ranks: no. " * 20)
OPEN = replace(PASSED, verdict="could not be judged", points=None, message="It is torn.")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    sys.path.insert(0, str(BROWSER))
    import harness

    if harness.find_chromium() is None and not os.environ.get("CI"):
        pytest.skip("no Chromium here")
    with harness.browser() as program:
        yield program


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("grades") / "out"
    with Gradebook(folder) as book:
        book.begin_run({})
        book.protect_run({"name": "none", "guarantees": [], "missing": ["a lot"]})
        for name, judgement in (("b", PARTLY), (LONG, OPEN), ("a", PASSED), ("c10", PARTLY)):
            number = book.hand_in(Handed(Path("/x"), f"{name}/x.py".encode(), name), "a")
            book.keep_plan(number, Plan(("ring_step",)))
            book.keep(number, judgement)
        files.write_whole(folder / files.INDEX, pages.index(book, {}, Progress()))
    return (folder / files.INDEX).as_uri()


def shown(page: Any) -> list[str]:
    rows = page.locator("#rows tbody tr:visible")
    return [rows.nth(i).locator("td").first.inner_text()[:20] for i in range(rows.count())]


def test_a_click_sorts_and_a_word_filters(chromium: Any, address: str) -> None:
    page = chromium.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    points = page.get_by_role("button", name="points")
    points.click()
    assert shown(page)[-1] == "a"
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("points")
    points.click()
    assert shown(page)[0] == "a"
    page.get_by_role("button", name="who").click()
    assert [name[:3] for name in shown(page)] == ["a", "a_v", "b", "c10"]
    page.locator("#filter").fill("c10")
    assert shown(page) == ["c10"] and page.locator("#shown").inner_text() == "1 shown"
    page.locator("#filter").fill("")
    page.locator("#verdict").select_option("could")
    assert len(shown(page)) == 1
    page.locator("#verdict").select_option("")
    assert len(shown(page)) == 4
    assert not complaints
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_screen(
    chromium: Any, address: str, width: int, scheme: str
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 740}, color_scheme=scheme)
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    colours = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    lightness = [sum(map(int, c[c.index("(") + 1 : -1].split(", ")[:3])) for c in colours]
    assert (lightness[0] > lightness[1]) is (scheme == "dark")
    page.close()


def test_what_could_not_be_judged_is_seen_without_scrolling(chromium: Any, address: str) -> None:
    page = chromium.new_page(viewport={"width": 360, "height": 740})
    page.goto(address)
    box = page.get_by_text("Look at these first").bounding_box()
    assert box is not None and box["y"] < 300
    page.close()
