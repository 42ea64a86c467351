"""A report as a part of a page, with the picture of the learner's own run."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from ringlab.plain import plain
from ringlab.view.report import report_html
from ringlab.words import gradebook as words

if TYPE_CHECKING:
    from ringlab.grading.verdict import Report
    from ringlab.schedule import Playback


def fragment(report: Report) -> str:
    """The report as HTML; under it all steps of the run that it is about, where one was decoded."""
    return report_html(report) + (_picture(report.playback) if report.playback else "")


def _picture(playback: Playback) -> str:
    """A picture helps; what breaks in making it must not touch a grade."""
    from ringlab.view.filmstrips import alt_text, png_of

    try:
        data = base64.b64encode(png_of(playback)).decode()
        alt = plain(alt_text(playback), 4000)
    except Exception:
        return ""
    caption = words.YOUR_RUN if playback.is_right else words.YOUR_WRONG_RUN
    return (
        f'<figure class="run"><img alt="{escape(alt)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
