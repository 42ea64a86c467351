"""Fixtures of the browser tests. Without Chromium they are skipped, but never under CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WHY = "no Chromium here: install Debian's package chromium, or Google Chrome"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.alone)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser a file: while playwright is open `asyncio.run` fails in tests elsewhere."""
    import harness

    if harness.find_chromium() is None:
        if os.environ.get("CI"):
            pytest.fail(WHY)
        pytest.skip(WHY)
    with harness.browser() as program:
        yield program


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    """A picture of every page that was open when a test failed."""
    report = yield
    chromium = getattr(item, "funcargs", {}).get("chromium")
    if report.when == "call" and report.failed and chromium is not None:
        import harness

        for context in chromium.contexts:
            for number, page in enumerate(context.pages):
                harness.screenshot(page, f"failed-{item.name}-{number}")
    return report
