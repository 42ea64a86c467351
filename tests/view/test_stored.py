"""What a built notebook keeps: pictures, no widgets."""

from __future__ import annotations

import base64
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

from ringlab.view import strip_widget_views

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def executed() -> Any:
    cells = [
        new_code_cell("import ringlab as lab\nlab.show(lab.algorithms.ring(3))"),
        new_code_cell("lab.predict('Which <rank>?', options=[0, 1], answer=1, because='So.')"),
        new_code_cell("lab.predict('How many?', slider=(0, 8), answer=4)"),
        new_code_cell("print('settled')"),
    ]
    notebook = new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return notebook


def test_a_player_leaves_its_filmstrip_alone(executed: Any) -> None:
    assert VIEW in executed.cells[0].outputs[0].data
    assert strip_widget_views(executed) == 3
    (output,) = executed.cells[0].outputs
    assert set(output.data) == {"image/png", "text/plain"}
    assert base64.b64decode(output.data["image/png"])[:4] == b"\x89PNG"
    assert output.data["text/plain"].startswith("Ring AllReduce, 3 ranks, as 5 pictures")
    assert output.metadata["image/png"]["alt"] == output.data["text/plain"]
    assert "widgets" not in executed.metadata
    nbformat.validate(executed)


def test_a_prediction_leaves_its_question(executed: Any) -> None:
    strip_widget_views(executed)
    (output,) = executed.cells[1].outputs
    assert set(output.data) == {"text/html", "text/plain"}
    assert "Which &lt;rank&gt;?" in output.data["text/html"]
    assert "<details>" in output.data["text/html"] and "So." in output.data["text/html"]
    assert executed.cells[2].outputs[0].data["text/plain"].endswith("From 0 to 8.")


def test_other_widgets_go_and_other_outputs_stay() -> None:
    def output(**data: str) -> Any:
        return new_output("display_data", {key.replace("__", "/"): v for key, v in data.items()})

    bare = new_output("display_data", {VIEW: {"model_id": "1"}, "text/plain": "VBox(children=())"})
    one_line = new_output("display_data", {VIEW: {"model_id": "2"}, "text/plain": "Progress(1)"})
    kept = [output(text__plain="f(x)"), new_output("stream", name="stdout", text="hello")]
    notebook = new_notebook(cells=[new_code_cell("x", outputs=[bare, one_line, *kept])])
    notebook.metadata["widgets"] = {"state": {}}
    assert strip_widget_views(notebook) == 2
    assert notebook.cells[0].outputs == kept
    assert notebook.metadata == {}
    assert strip_widget_views(notebook) == 0
