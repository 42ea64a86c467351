"""The learners' edition, written once, and nbgrader, installed once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from editions import NBGRADER, lend_environment
from lending import lent

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
def nbgrader_home(pytestconfig: pytest.Config) -> Path:
    """A folder with nbgrader in it."""
    return lent(pytestconfig, *NBGRADER)
