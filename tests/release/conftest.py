"""The learners' edition, written once, and nbgrader, installed once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

sys.path.insert(0, str(Path(__file__).parent))

from editions import lend_environment, nbgrader_pins

from ringlab.release import release


@pytest.fixture(scope="session")
def learners(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The learners' edition as unpacked, with an environment."""
    out = tmp_path_factory.mktemp("release") / "out"
    release(out)
    folder = out / "ringlab-course"
    lend_environment(folder)
    return folder


@pytest.fixture(scope="session")
def nbgrader_home(request: pytest.FixtureRequest) -> Path:
    """A folder with nbgrader in it."""
    wanted = sorted(str(pin) for pin in nbgrader_pins().values())
    key = hashlib.sha256("\n".join([*wanted, sys.version]).encode()).hexdigest()[:12]
    cache = Path(request.config.cache.mkdir("nbgrader"))  # type: ignore[union-attr]
    folder = cache / key
    with FileLock(cache / f"{key}.lock"):
        if not (folder / "done").exists():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
            command += ["--disable-pip-version-check", "--target", str(folder), *wanted]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode and not os.environ.get("CI"):
                pytest.skip(f"nbgrader could not be installed: {done.stderr[-300:]}")
            assert done.returncode == 0, done.stderr
            (folder / "done").touch()
    return folder
