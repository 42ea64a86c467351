"""How far the grading is, on standard error: one line that changes, or now and then a new line."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from ringlab.words import gradebook as words

BAR = 24
LINE_SECONDS, BAR_SECONDS = 15.0, 0.2


def in_words(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return words.SECONDS.format(seconds=seconds)
    if seconds < 5400:
        return words.MINUTES.format(minutes=seconds / 60)
    return words.HOURS.format(hours=seconds / 3600)


class Bar:
    """A progress bar. In a terminal it stays on its line; elsewhere a line comes now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.is_terminal = self.stream.isatty()
        self.begun = time.monotonic()
        self._last = 0.0 if self.is_terminal else self.begun
        self._width = 0

    def show(self, done: int, count: int, now: bool = False) -> None:
        """Show that `done` of `count` are done, not more often than is worth it."""
        moment = time.monotonic()
        pause = BAR_SECONDS if self.is_terminal else LINE_SECONDS
        if moment - self._last < pause and not now:
            return
        self._last = moment
        text = words.PROGRESS.format(done=done, count=count) if count else words.LOOKING
        if 0 < done < count:
            left = (moment - self.begun) / done * (count - done)
            text += f", {words.PROGRESS_LEFT.format(left=in_words(left))}"
        if self.is_terminal:
            full = BAR * done // max(1, count)
            text = f"[{'=' * full}{' ' * (BAR - full)}] {text}"
            self.stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self.stream.write(text + "\n")
        self.stream.flush()

    def say(self, sentence: str) -> None:
        """A sentence of its own line, the bar cleared away."""
        self.clear()
        self.stream.write(sentence + "\n")
        self.stream.flush()

    def clear(self) -> None:
        """Leave an empty line where the bar was."""
        if self.is_terminal and self._width:
            self.stream.write("\r" + " " * self._width + "\r")
            self._width = 0
