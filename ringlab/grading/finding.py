"""What the source layer has to say about one place in an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing to change in an answer. `line` counts from 1, None for the answer as a whole."""

    line: int | None
    message: str
