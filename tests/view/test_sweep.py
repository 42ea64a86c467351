"""The fusion sweep shows what was measured at the chosen point."""

from __future__ import annotations

from xml.etree import ElementTree

from ringlab.bench.fusion import FUSED, ONE, FusionSweep
from ringlab.view.sweep import FusionExplorer, draw_point, explore_fusion
from ringlab.world.run import NotWritten

SWEEP = FusionSweep(
    4,
    "gloo",
    1e9,
    {
        (4, 1 << 10): {ONE: [0.006, 0.004, 0.005], FUSED: [0.001, 0.001, 0.002]},
        (64, 1 << 10): {ONE: [0.08], FUSED: [0.001]},
        (4, 1 << 20): {ONE: [0.01], FUSED: [0.02]},
    },
)


def test_a_bar_is_as_long_as_its_median() -> None:
    root = ElementTree.fromstring(draw_point(SWEEP, 4, 1 << 10))
    bars = [e for e in root.iter() if e.get("class") == "bar"]
    widths = [float(bar.get("width", "0")) for bar in bars]
    assert len(widths) == 2 and abs(widths[0] / widths[1] - 5) < 0.05


def test_the_picture_follows_the_sliders_and_says_what_was_left_out() -> None:
    explorer = FusionExplorer(SWEEP)
    assert "64 tensors of 1 KiB" in explorer.svg and "80 times as long" in explorer.svg
    explorer._size.value = 1 << 20
    assert "left out" in explorer.svg
    explorer._count.value = 4
    assert "0.5 times as long" in explorer.svg


def test_a_reader_without_a_kernel_gets_all_points() -> None:
    data, metadata = FusionExplorer(SWEEP)._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "64 tensors of 1 KiB: 80 times" in metadata["image/png"]["alt"]


def test_a_missing_answer_shows_itself() -> None:
    missing = NotWritten("fused_all_reduce")
    assert explore_fusion(missing) is missing
