"""What a judgement says: checks, and one verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ringlab.schedule import Playback

Layer = Literal["source", "behaviour", "traffic"]
Verdict = Literal["passed", "failed", "could not be judged"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. `message` is empty when there is nothing to say."""

    layer: Layer
    name: str
    passed: bool
    message: str = ""
    rank: int | None = None
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "layer": self.layer,
            "name": self.name,
            "passed": self.passed,
            "message": self.message,
            "rank": self.rank,
            "line": self.line,
        }


@dataclass(frozen=True)
class Report:
    """The judgement of one answer. `playback` is a run of it, where one could be decoded.

    unexplained: promises that were kept, at least once, by a run whose messages don't explain it.
    """

    exercise: str
    verdict: Verdict
    checks: tuple[Check, ...]
    seconds: float
    file: str | None = None
    source: str | None = None
    playback: Playback | None = field(default=None, repr=False)
    unexplained: frozenset[str] = frozenset()

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    @property
    def failures(self) -> list[Check]:
        """The checks that did not pass."""
        return [check for check in self.checks if not check.passed]

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, as `./course check --json` prints it."""
        return {
            "exercise": self.exercise,
            "file": self.file,
            "verdict": self.verdict,
            "checks": [check.to_json() for check in self.checks],
            "seconds": round(self.seconds, 3),
        }
