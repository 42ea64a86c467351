"""A real JupyterLab in a real Chromium, for tests.

    with jupyter(folder) as lab, browser() as chromium:
        page = open_notebook(chromium, lab, "04_ring.ipynb")
        run_all(page)
        wait_for_text(page, 3, "passed")

Waits look at what is on the page, never at the clock. The server has its own configuration, data
and home, so nothing of the person who runs the tests changes what is seen.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ElementHandle, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 90
CELL_SECONDS = 120
_CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
_NOTIFICATIONS = {"fetchNews": "false", "checkForUpdates": False}


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


@dataclass(frozen=True)
class Lab:
    """A running server and the folder it serves."""

    address: str
    folder: Path
    process: subprocess.Popen[bytes]
    log: Path


@contextlib.contextmanager
def jupyter(folder: Path) -> Iterator[Lab]:
    """Serve `folder` until the end of the block; its kernels end with it."""
    with tempfile.TemporaryDirectory(prefix="ringlab-browser-") as private:
        home = Path(private)
        settings = home / "config/lab/user-settings/@jupyterlab/apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(_NOTIFICATIONS))
        port = _free_port()
        environment = dict(
            os.environ,
            HOME=str(home),
            JUPYTER_CONFIG_DIR=str(home / "config"),
            JUPYTER_DATA_DIR=str(home / "data"),
            JUPYTER_RUNTIME_DIR=str(home / "runtime"),
            JUPYTERLAB_SETTINGS_DIR=str(home / "config/lab/user-settings"),
            JUPYTERLAB_WORKSPACES_DIR=str(home / "config/lab/workspaces"),
            IPYTHONDIR=str(home / "ipython"),
            PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        )
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
            *("--IdentityProvider.token=", "--ServerApp.password="),
            *("--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"),
            f"--ServerApp.root_dir={folder}",
        ]
        log = home / "server.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        lab = Lab(f"http://127.0.0.1:{port}", folder, process, log)
        try:
            _wait_until_served(lab)
            yield lab
        finally:
            _stop(lab)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_served(lab: Lab) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{lab.address}/api/status", timeout=5).close()
            return
        if lab.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("JupyterLab did not start:\n" + lab.log.read_text()[-3000:])
        time.sleep(0.1)


def _stop(lab: Lab) -> None:
    """End the kernels first: they have sessions of their own and would outlive a killed server."""
    for kernel in kernels(lab):
        request = urllib.request.Request(
            f"{lab.address}/api/kernels/{kernel['id']}", method="DELETE"
        )
        with contextlib.suppress(OSError):
            urllib.request.urlopen(request, timeout=20).close()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(lab.process.pid, signal.SIGTERM)
    try:
        lab.process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(lab.process.pid, signal.SIGKILL)
        lab.process.wait()


def kernels(lab: Lab) -> list[dict[str, Any]]:
    try:
        with urllib.request.urlopen(f"{lab.address}/api/kernels", timeout=10) as reply:
            found: list[dict[str, Any]] = json.load(reply)
    except OSError:
        return []
    return found


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Debian's Chromium, driven by playwright, which never downloads one of its own."""
    program = find_chromium()
    if program is None:
        raise RuntimeError("no Chromium here")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=program, headless=True, args=list(_CHROMIUM_ARGUMENTS)
        )
        try:
            yield chromium
        finally:
            chromium.close()


def open_notebook(chromium: Browser, lab: Lab, name: str, width: int = 1280) -> Page:
    """The notebook in a fresh workspace, its kernel idle. Errors of the page are in
    `page_errors(page)`."""
    page = chromium.new_page(viewport={"width": width, "height": 1600})
    page.set_default_timeout(CELL_SECONDS * 1000)
    page.add_init_script(_KEEP_ERRORS)
    page.goto(f"{lab.address}/lab/workspaces/t/tree/{name}?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    wait_for_idle(page)
    return page


_KEEP_ERRORS = """
window.ringlabErrors = [];
window.addEventListener('error', event => window.ringlabErrors.push(String(event.message)));
"""

_STATUS = """() => {
    const panel = window.jupyterapp && window.jupyterapp.shell.currentWidget;
    const kernel = panel && panel.sessionContext && panel.sessionContext.session
        && panel.sessionContext.session.kernel;
    return kernel ? kernel.status : 'none';
}"""


def page_errors(page: Page) -> list[str]:
    found: list[str] = page.evaluate("() => window.ringlabErrors")
    return found


def wait_for_idle(page: Page) -> None:
    page.wait_for_function(f"() => ({_STATUS})() === 'idle'")


def execute(page: Page, command: str) -> None:
    """Run a JupyterLab command and wait until it has been carried out."""
    page.evaluate("name => window.jupyterapp.commands.execute(name).then(() => null)", command)


def run_all(page: Page) -> None:
    """Run every cell. Returns when the last has run, or the first has failed."""
    execute(page, "notebook:run-all-cells")
    wait_for_idle(page)


def run_below(page: Page, index: int) -> None:
    """Run a cell and all that follow, as far as the first that fails."""
    select(page, index)
    execute(page, "notebook:run-all-below")
    wait_for_idle(page)


def run_cell(page: Page, index: int) -> None:
    """Select a cell by its number from 0, and run it."""
    select(page, index)
    execute(page, "notebook:run-cell")
    wait_for_idle(page)


def select(page: Page, index: int) -> None:
    """Make a cell the active one, in command mode, and scroll to it."""
    page.evaluate(
        """index => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.mode = 'command';
            notebook.activeCellIndex = index;
            notebook.deselectAll();
            return notebook.scrollToItem(index, 'smart');
        }""",
        index,
    )


def write_cell(page: Page, index: int, source: str) -> None:
    """Replace a cell's source, as typing would."""
    page.evaluate(
        """([index, source]) => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.widgets[index].model.sharedModel.setSource(source);
        }""",
        [index, source],
    )


def cell_sources(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.widgets.map(
            cell => cell.model.sharedModel.getSource())"""
    )
    return found


def find_cell(page: Page, text: str) -> int:
    """The number of the first cell whose source contains text. Raises LookupError."""
    for index, source in enumerate(cell_sources(page)):
        if text in source:
            return index
    raise LookupError(f"no cell says {text!r}")


def output(page: Page, index: int) -> ElementHandle:
    """The output of a cell, scrolled into view: JupyterLab draws only what is near."""
    select(page, index)
    page.wait_for_function(
        """index => window.jupyterapp.shell.currentWidget.content.widgets[index]
            .node.querySelector('.jp-OutputArea-output') !== null""",
        arg=index,
    )
    handle = page.evaluate_handle(
        """index => window.jupyterapp.shell.currentWidget.content.widgets[index]
            .node.querySelector('.jp-OutputArea')""",
        index,
    ).as_element()
    assert handle is not None
    return handle


def output_text(page: Page, index: int) -> str:
    return str(output(page, index).inner_text())


def wait_for_text(page: Page, index: int, text: str) -> None:
    """Until the output of a cell contains text."""
    output(page, index)
    page.wait_for_function(
        """([index, text]) => window.jupyterapp.shell.currentWidget.content.widgets[index]
            .node.querySelector('.jp-OutputArea').innerText.includes(text)""",
        arg=[index, text],
    )


def artifacts() -> Path:
    """Where screenshots go: RINGLAB_ARTIFACTS, else .artifacts/, which git ignores."""
    folder = Path(os.environ.get("RINGLAB_ARTIFACTS") or ROOT / ".artifacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def screenshot(page: Page, name: str, element: ElementHandle | None = None) -> Path:
    """A picture of the page, or of one element, as NAME.png among the artifacts."""
    path = artifacts() / (re.sub(r"[^\w.-]+", "_", name) + ".png")
    (element or page).screenshot(path=path)
    return path
