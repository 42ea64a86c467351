"""The harness itself: what is seen in the page is what the kernel did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import harness
import nbformat
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CELLS = (
    "import os\nprint('kernel', os.getpid() > 0)",
    "import ipywidgets\nbutton = ipywidgets.Button(description='Press')\n"
    "said = ipywidgets.HTML('not yet')\n"
    "button.on_click(lambda _: setattr(said, 'value', '<b>pressed</b>'))\n"
    "ipywidgets.VBox([button, said])",
    "1 / 0",
    "print('after the failure')",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata.kernelspec = {"display_name": "Python 3", "name": "python3"}
    nbformat.write(notebook, tmp_path / "a notebook.ipynb")
    return tmp_path


def test_a_notebook_is_run_and_its_widgets_work(chromium: Browser, folder: Path) -> None:
    with harness.jupyter(folder) as lab:
        page = harness.open_notebook(chromium, lab, "a notebook.ipynb")
        harness.run_all(page)
        harness.wait_for_text(page, 0, "kernel True")
        harness.wait_for_text(page, 2, "ZeroDivisionError")

        last = harness.find_cell(page, "after the failure")
        harness.run_cell(page, last)
        harness.wait_for_text(page, last, "after the failure")

        harness.write_cell(page, last, "print(6 * 7)")
        harness.run_cell(page, last)
        harness.wait_for_text(page, last, "42")

        harness.wait_for_text(page, 1, "not yet")
        page.get_by_role("button", name="Press").click()
        harness.wait_for_text(page, 1, "pressed")
        picture = harness.screenshot(page, "harness", harness.output(page, 1))
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert harness.page_errors(page) == []
        page.close()


def test_nothing_is_left_running(folder: Path) -> None:
    with harness.jupyter(folder) as lab:
        assert harness.kernels(lab) == []
    assert lab.process.poll() is not None
    assert not lab.log.exists()


def test_without_chromium_it_is_a_skip_here_and_a_failure_in_ci(tmp_path: Path) -> None:
    """Run as another pytest, with a PATH in which there is no browser."""
    here = Path(__file__)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(here)]
    command += ["-k", "test_a_notebook_is_run", "--rootdir", str(here.parents[2])]
    outcomes = {}
    for ci in ("", "true"):
        environment = {"PATH": str(tmp_path), "CI": ci, "HOME": str(tmp_path)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, cwd=here.parents[2]
        )
        outcomes[ci] = (done.returncode, "no Chromium here" in done.stdout)
    assert outcomes == {"": (0, True), "true": (1, True)}
