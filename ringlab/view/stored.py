"""What a built notebook keeps of a widget: the picture alone.

A stored widget view shows "model not found" where no kernel runs, and GitHub refuses a whole file
with ``metadata.widgets``.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def strip_widget_views(notebook: MutableMapping[str, Any]) -> int:
    """Take every widget view out of a notebook (nbformat 4), in place.

    An output that also has a picture or text keeps that; one that was nothing but a widget goes.
    ``metadata.widgets`` goes too. Gives the number of views taken out.
    """
    taken = 0
    for cell in notebook.get("cells", []):
        kept = []
        for output in cell.get("outputs", []):
            data = output.get("data")
            if data is not None and WIDGET_VIEW in data:
                taken += 1
                del data[WIDGET_VIEW]
                output.get("metadata", {}).pop(WIDGET_VIEW, None)
                if not set(data) - {"text/plain"} and _is_widget_text(data.get("text/plain", "")):
                    continue
            kept.append(output)
        if "outputs" in cell:
            cell["outputs"] = kept
    notebook.get("metadata", {}).pop("widgets", None)
    return taken


def _is_widget_text(text: str | list[str]) -> bool:
    """Whether the text is only the representation of a widget, ``VBox(children=...)``."""
    whole = "".join(text)
    return not whole or "(children=" in whole or (whole.endswith(")") and "\n" not in whole)
