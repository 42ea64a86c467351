"""Files of a gradebook: where they lie, and how one is written so that nobody reads a half."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

INDEX = "index.html"
TABLE = "grades.csv"
SUBMISSIONS = "submissions"
FEEDBACK = "feedback.html"
RESULTS = "results.json"
_PART = ".part"


def folder_of(raw: bytes) -> str:
    """The name of a submission's folder: what can be read of its path, and a digest of all of it.

    raw: the relative path as the file system has it, which may hold anything.
    """
    text = re.sub(r"[^A-Za-z0-9._-]+", "-", raw.decode("utf-8", "replace"))
    digest = hashlib.sha256(raw).hexdigest()[:10]
    return f"{text[-60:].strip('.-') or 'submission'}-{digest}"


def write_whole(path: Path, parts: Iterable[str]) -> None:
    """Write a text file in UTF-8 that is there as a whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}{_PART}")
    try:
        with open(part, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def remove_parts(folder: Path) -> None:
    """Take away what a killed call left half-written."""
    for part in [*folder.glob(f".*{_PART}"), *folder.glob(f"{SUBMISSIONS}/*/.*{_PART}")]:
        with contextlib.suppress(OSError):
            part.unlink()
