"""The player: a schedule, step by step, in a notebook. Core ipywidgets only."""

from __future__ import annotations

import asyncio
from typing import Any

import ipywidgets as widgets
from IPython.display import display

from ringlab.schedule import Playback, Schedule
from ringlab.view.captions import playback_of
from ringlab.view.filmstrips import alt_text, png_of
from ringlab.view.picture import Film
from ringlab.words import view as words

INTERVAL_MS = 1200
GRACE_SECONDS = 120.0


class Player(widgets.VBox):  # type: ignore[misc]
    """Controls above, the picture below. ``step`` is the step on show.

    The browser's clock plays; each tick asks the kernel for one picture. When no view is left, as
    after its cell is run again, the player stops, and closes itself a while later.
    """

    def __init__(self, what: Any, interval_ms: int = INTERVAL_MS) -> None:
        self.playback = playback_of(what)
        self.film = Film(self.playback)
        self._seen = False
        self._drawn = 0
        self._picture = widgets.HTML(self.film.draw(0), layout=widgets.Layout(width="auto"))
        self._picture.add_class("ringlab-picture")
        last = self.film.last
        # The browser's clock only runs where it has a view, so it is there, out of sight.
        self._clock = widgets.Play(
            min=0, max=last, interval=interval_ms, layout=widgets.Layout(display="none")
        )
        self._slider = widgets.IntSlider(
            min=0,
            max=max(last, 1),
            value=0,
            description=words.SLIDER,
            disabled=not last,
            continuous_update=True,
            layout=widgets.Layout(flex="1 1 200px", width="auto", max_width="460px"),
        )
        self._slider.add_class("ringlab-slider")
        self._previous = _button(words.PREVIOUS, words.PREVIOUS_TIP, "ringlab-prev", not last)
        self._next = _button(words.NEXT, words.NEXT_TIP, "ringlab-next", not last)
        self._play = _button(words.PLAY, words.PLAY_TIP, "ringlab-play", not last)
        self._reset = _button(words.RESET, words.RESET_TIP, "ringlab-reset", not last)
        controls = widgets.HBox(
            [self._previous, self._next, self._play, self._reset, self._slider, self._clock],
            layout=widgets.Layout(width="100%", flex_flow="row wrap", align_items="center"),
        )
        super().__init__([controls, self._picture], layout=widgets.Layout(width="100%"))
        self.add_class("ringlab-player")
        self._listen()

    @property
    def step(self) -> int:
        """The step on show, one more than the last for the end."""
        return int(self._slider.value)

    @property
    def svg(self) -> str:
        """The picture on show."""
        return str(self._picture.value)

    def show_step(self, step: int) -> None:
        """Go to a step, or as near to it as there is."""
        step = min(max(step, 0), self.film.last)
        self._draw(step)
        self._slider.value = step

    def play(self) -> None:
        """Play to the end, from the start if it is at the end."""
        if not self.film.last:
            return
        if self.step >= self.film.last:
            self.show_step(0)
        self._clock.value = self.step
        self._clock.playing = True

    def pause(self) -> None:
        self._clock.playing = False

    def close(self) -> None:
        """Stop the clock and take all widgets out of the kernel."""
        self._clock.playing = False
        parts = (self._clock, self._slider, self._picture, self._previous, self._next)
        for part in (*parts, self._play, self._reset, *self.children):
            part.close()
        super().close()

    def _listen(self) -> None:
        self._slider.observe(self._on_slider, "value")
        self._clock.observe(self._on_tick, "value")
        self._clock.observe(self._on_playing, "playing")
        self._previous.on_click(lambda _: self._step_by(-1))
        self._next.on_click(lambda _: self._step_by(1))
        self._play.on_click(lambda _: self.pause() if self._clock.playing else self.play())
        self._reset.on_click(lambda _: self._step_by(-self.step))
        self.observe(self._on_views, "_view_count")
        # A number, not None, makes the browser count the views.
        self._view_count = 0

    def _step_by(self, steps: int) -> None:
        self.pause()
        self.show_step(self.step + steps)

    def _draw(self, step: int) -> None:
        """Send the picture before anything else, since that is what the reader waits for."""
        if step != self._drawn:
            self._drawn = step
            self._picture.value = self.film.draw(step)

    def _on_slider(self, change: dict[str, Any]) -> None:
        self._draw(min(change["new"], self.film.last))
        if self._clock.playing and self._clock.value != change["new"]:
            self._clock.value = change["new"]

    def _on_tick(self, change: dict[str, Any]) -> None:
        if self._clock.playing:
            self.show_step(change["new"])

    def _on_playing(self, change: dict[str, Any]) -> None:
        self._play.description = words.PAUSE if change["new"] else words.PLAY

    def _on_views(self, change: dict[str, Any]) -> None:
        if change["new"]:
            self._seen = True
        elif self._seen:
            self.pause()
            self._close_later()

    def _close_later(self) -> None:
        """A reader may have closed the notebook's tab and open it again: wait, then let go."""
        try:
            asyncio.get_running_loop().call_later(GRACE_SECONDS, self._close_if_unseen)
        except RuntimeError:
            self.close()

    def _close_if_unseen(self) -> None:
        if not self._view_count:
            self.close()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live player, and beside it the filmstrip that stays when no kernel is there."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if not bundle:
            return bundle
        alt = alt_text(self.playback)
        bundle["text/plain"] = alt
        bundle["image/png"] = png_of(self.playback)
        return bundle, {"image/png": {"alt": alt}}


def _button(label: str, tip: str, name: str, disabled: bool) -> widgets.Button:
    button = widgets.Button(
        description=label,
        tooltip=tip,
        disabled=disabled,
        layout=widgets.Layout(width="auto", min_width="64px"),
    )
    button.add_class(name)
    return button


def player(what: Any, interval_ms: int = INTERVAL_MS) -> Player:
    """A player of a Schedule, a Playback, or a trace."""
    return Player(what, interval_ms)


def show(what: Any, interval_ms: int = INTERVAL_MS) -> None:
    """Show a schedule in a notebook: the player where a kernel runs, else its filmstrip.

    What has no run to play, such as an answer that is not written yet, shows itself.
    """
    is_playable = isinstance(what, (Schedule, Playback)) or hasattr(what, "playback")
    if not is_playable and hasattr(what, "_repr_html_"):
        display(what)  # type: ignore[no-untyped-call]
        return
    display(player(what, interval_ms))  # type: ignore[no-untyped-call]
