"""Packages that one test needs and no learner: installed once, beside the environment."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]


def pins(*names: str) -> dict[str, Requirement]:
    """The pinned versions of these packages, as constraints.txt has them, by lower-case name."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {pin.name.lower(): pin for pin in found if pin.name.lower() in names}


def lent(config: pytest.Config, *names: str) -> Path:
    """A folder with these packages in it, without what they depend on.

    Where they can't be had the test is skipped, but not under CI.
    """
    wanted = sorted(map(str, pins(*names).values()))
    assert len(wanted) == len(names), wanted
    key = hashlib.sha256("\n".join([*wanted, sys.version]).encode()).hexdigest()[:12]
    cache = Path(config.cache.mkdir(names[0]))  # type: ignore[union-attr]
    folder = cache / key
    with FileLock(cache / f"{key}.lock"):
        if not (folder / "done").exists():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
            command += ["--disable-pip-version-check", "--target", str(folder), *wanted]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode and not os.environ.get("CI"):
                pytest.skip(f"{names[0]} could not be installed: {done.stderr[-300:]}")
            assert done.returncode == 0, done.stderr
            (folder / "done").touch()
    return folder
