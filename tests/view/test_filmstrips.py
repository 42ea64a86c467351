"""The filmstrip: what a reader without a kernel gets."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from PIL import Image

from ringlab import algorithms
from ringlab.schedule import simulate
from ringlab.view import alt_text, filmstrip, png_of


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("name", ["ring", "central"])
def test_it_is_a_small_png_of_readable_size(name: str, size: int) -> None:
    data = png_of(algorithms.get(name)(size))
    image = Image.open(io.BytesIO(data))
    assert image.format == "PNG"
    assert 150 < image.width <= 1700 and 100 < image.height <= 1500
    assert len(data) < 150_000


def test_every_step_of_a_short_schedule_has_a_frame() -> None:
    figure = filmstrip(algorithms.ring(4))
    titles = [axes.texts[0].get_text() for axes in figure.axes]
    assert titles == [
        *(f"step {step} · reduce-scatter · adds" for step in (0, 1, 2)),
        *(f"step {step} · all-gather · overwrites" for step in (3, 4, 5)),
        "after step 5",
    ]


def test_a_long_schedule_says_what_it_leaves_out() -> None:
    figure = filmstrip(algorithms.ring(16))
    titles = [axes.texts[0].get_text() for axes in figure.axes]
    assert len(titles) == 6
    assert titles[0].startswith("step 0 ") and titles[-1] == "after step 29"
    assert any("step 15 · all-gather" in title for title in titles)
    assert any("25 steps are left out" in text.get_text() for text in figure.texts)


def test_the_alt_text_tells_the_steps_and_the_end() -> None:
    says = alt_text(algorithms.ring(2))
    assert says.startswith("Ring AllReduce, 2 ranks, as 3 pictures of who is in which chunk")
    assert "Step 0, reduce-scatter: Rank 0 passes chunk 0" in says
    assert says.endswith("Done: every rank holds every chunk, with each rank's part in it once.")


def test_what_ends_wrong_has_a_border_in_the_last_frame() -> None:
    ring = algorithms.ring(4)
    lost = replace(ring, steps=(replace(ring.steps[0], transfers=()), *ring.steps[1:]))
    strip = filmstrip(lost)
    bordered = [
        len(shapes.get_paths())
        for shapes in strip.axes[-1].collections
        if list(shapes.get_linewidths()) == [1.2]
    ]
    state, goal = simulate(lost, strict=False).states[-1], (1, 1, 1, 1)
    assert bordered == [sum(content.counts != goal for row in state for content in row)]
    assert any("not as it should be" in text.get_text() for text in strip.texts)
    assert not any("not as" in text.get_text() for text in filmstrip(ring).texts)


def test_figures_are_not_pyplots() -> None:
    code = (
        "import sys; from ringlab import algorithms; from ringlab.view import png_of;"
        "png_of(algorithms.ring(2)); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
