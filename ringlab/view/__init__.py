"""Views of a schedule: every picture, player, filmstrip and report of the course.

``draw`` is the one function from a state at a step to SVG. Names load when first used, so that the
pictures work where matplotlib or ipywidgets are not installed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "draw": "picture",
    "playback_of": "captions",
    "Player": "player",
    "show": "player",
    "filmstrip": "filmstrips",
    "png_of": "filmstrips",
    "alt_text": "filmstrips",
    "Case": "collectives",
    "Collective": "collectives",
    "collective": "collectives",
    "draw_collective": "collectives",
    "png_of_collective": "collectives",
    "explore_cost": "explorer",
    "explore_fusion": "sweep",
    "FusionExplorer": "sweep",
    "CostExplorer": "explorer",
    "predict": "prediction",
    "Prediction": "prediction",
    "report_html": "report",
    "report_text": "report",
    "show_report": "report",
    "strip_widget_views": "stored",
}

if TYPE_CHECKING:
    from ringlab.view.captions import playback_of as playback_of
    from ringlab.view.collectives import Case as Case
    from ringlab.view.collectives import Collective as Collective
    from ringlab.view.collectives import collective as collective
    from ringlab.view.collectives import draw_collective as draw_collective
    from ringlab.view.collectives import png_of_collective as png_of_collective
    from ringlab.view.explorer import CostExplorer as CostExplorer
    from ringlab.view.explorer import explore_cost as explore_cost
    from ringlab.view.filmstrips import alt_text as alt_text
    from ringlab.view.filmstrips import filmstrip as filmstrip
    from ringlab.view.filmstrips import png_of as png_of
    from ringlab.view.picture import draw as draw
    from ringlab.view.player import Player as Player
    from ringlab.view.player import show as show
    from ringlab.view.prediction import Prediction as Prediction
    from ringlab.view.prediction import predict as predict
    from ringlab.view.report import report_html as report_html
    from ringlab.view.report import report_text as report_text
    from ringlab.view.report import show_report as show_report
    from ringlab.view.stored import strip_widget_views as strip_widget_views
    from ringlab.view.sweep import FusionExplorer as FusionExplorer
    from ringlab.view.sweep import explore_fusion as explore_fusion

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
