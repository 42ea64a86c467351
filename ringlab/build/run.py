"""Runs a solved notebook and decides what of its outputs is stored."""

from __future__ import annotations

import copy
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ringlab.build.lesson import ROOT, BuildError, Lesson
from ringlab.words import cli as words

CELL_SECONDS = 180


def execute(notebook: Any, lesson: Lesson, root: Path = ROOT) -> None:
    """Run a solved notebook in place, in a fresh kernel and an empty folder."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    metadata = copy.deepcopy(notebook.metadata)
    environment = dict(os.environ)
    path = [str(root), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(path)
    with tempfile.TemporaryDirectory() as folder:
        current = {"line": ""}

        def remember(cell: Any, cell_index: int) -> None:
            current["line"] = (cell.source.splitlines() or [""])[0]

        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=CELL_SECONDS,
            record_timing=False,
            store_widget_state=False,
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
            on_cell_start=remember,
        )
        try:
            client.execute(env=environment)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as failure:
            lines = _plain(str(failure)).strip().splitlines()
            raise BuildError(
                words.CELL_FAILED.format(
                    lesson=lesson.path.name, line=current["line"], error="\n".join(lines[-15:])
                )
            ) from None
        notebook.metadata = metadata  # nbclient writes the kernel's version into it
        _tidy_outputs(notebook, {folder: "."})


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _tidy_outputs(notebook: Any, folders: dict[str, str]) -> None:
    """Take out of the outputs what differs from machine to machine and teaches nothing."""
    places = {
        **folders,
        sys.prefix: ".venv",
        str(ROOT): ".",
        str(Path.home()): "~",
        tempfile.gettempdir(): "/tmp",
    }

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            for place, name in places.items():
                if len(place) > 1:
                    value = value.replace(place, name)
            value = re.sub(r"(?:~|/tmp|[\w/.-]+)/ipykernel_\d+/\d+\.py", "<cell>", value)
            return re.sub(r"\bat 0x[0-9a-f]{6,}", "at 0x...", value)
        if isinstance(value, list):
            return [clean(item) for item in value]
        if isinstance(value, dict):
            return type(value)(
                (key, item if key.startswith("image/") and key != "image/svg+xml" else clean(item))
                for key, item in value.items()
            )
        return value

    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = clean(cell.outputs)


def store_still(notebook: Any) -> None:
    """Leave of every player the picture alone, and no times of this run; in place.

    The counts stay: nbval takes a cell with outputs and without a count for a mistake.
    """
    from ringlab.view.stored import strip_widget_views

    strip_widget_views(notebook)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)


def copy_outputs(source: Any, target: Any, wanted: Callable[[Any], bool]) -> None:
    """Give the code cells of `target` the outputs of the same cells in `source`, where wanted."""
    ran = {cell.id: cell for cell in source.cells if cell.cell_type == "code"}
    for cell in target.cells:
        same = ran.get(cell.id)
        if same is not None and same.source == cell.source and wanted(cell):
            cell.outputs = copy.deepcopy(same.outputs)
            cell.execution_count = same.execution_count
