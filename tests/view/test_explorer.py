"""The cost explorer shows what the model says, and follows its sliders."""

from __future__ import annotations

import time
from xml.etree import ElementTree

import pytest

from ringlab.cost import cheapest, prices
from ringlab.view.explorer import (
    SIZES,
    WORLD_SIZES,
    CostExplorer,
    Setting,
    _apart,
    curves_of,
    draw_curves,
    explore_cost,
    summary,
)


@pytest.mark.parametrize("setting", [Setting(), Setting(world_size=2), Setting(8, 8)])
def test_the_thick_line_is_the_cheapest_of_the_model(setting: Setting) -> None:
    curves = curves_of(setting)
    for nbytes, name in zip(SIZES, curves.fastest, strict=True):
        best = cheapest(setting.world_size, float(nbytes), setting.topology)
        found = prices(setting.world_size, float(nbytes), setting.topology)
        assert found[name].seconds == pytest.approx(float(found[best].seconds))


def test_a_crossing_lies_where_the_two_curves_meet() -> None:
    curves = curves_of(Setting())
    assert curves.crossings()
    for at, before, after in curves.crossings():
        found = prices(24, at, curves.setting.topology)
        assert float(found[before].seconds) == pytest.approx(float(found[after].seconds), rel=0.1)


def test_more_latency_moves_the_crossing_to_larger_tensors() -> None:
    def first(alpha: float) -> float:
        return curves_of(Setting(alpha_inside=alpha, alpha_between=alpha)).crossings()[0][0]

    assert first(1e-4) > 5 * first(1e-5)


def test_the_picture_is_one_well_formed_image_with_words() -> None:
    svg = draw_curves(curves_of(Setting()))
    root = ElementTree.fromstring(svg)
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert summary(curves_of(Setting())) in svg.replace("&amp;", "&")
    assert svg.count('class="crossing"') == len(curves_of(Setting()).crossings())


def test_names_never_lie_on_each_other() -> None:
    places = _apart([10, 11, 12, 300, 300], 17, 0, 300)
    assert all(b - a >= 17 for a, b in zip(places, places[1:], strict=False))
    assert places[-1] <= 300


def test_the_picture_follows_every_slider_and_reset_goes_back() -> None:
    explorer = explore_cost()
    start = explorer.svg
    for name, slider in explorer._sliders.items():
        before = explorer.svg
        values = [value for _, value in slider.options]
        slider.value = values[0] if slider.value != values[0] else values[-1]
        assert explorer.svg != before, name
        explorer.reset()
        assert explorer.svg == start
    assert explorer.setting == Setting()


def test_a_value_between_the_stops_joins_them() -> None:
    assert explore_cost(alpha_inside=3.3e-6).setting.alpha_inside == 3.3e-6


def test_a_reader_without_a_kernel_gets_a_picture_and_words() -> None:
    data, metadata = explore_cost()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert "is the fastest" in data["text/plain"]


@pytest.mark.alone
def test_a_slider_redraws_within_a_tenth_of_a_second() -> None:
    """Processor time: what else runs on the machine doesn't count."""
    explorer = CostExplorer(Setting(world_size=WORLD_SIZES[-1]))
    slider = explorer._sliders["alpha_inside"]
    spent = []
    for _, value in list(slider.options)[:8]:
        begun = time.process_time()
        slider.value = value
        spent.append(time.process_time() - begun)
    assert sorted(spent)[len(spent) // 2] < 0.1
