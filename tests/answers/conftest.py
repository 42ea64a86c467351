"""Lets the tests here import what lies beside them, and cosmic-ray where mutants are wanted."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from lending import lent


@pytest.fixture(scope="session")
def cosmic_ray(pytestconfig: pytest.Config) -> Path:
    """A folder with cosmic-ray in it."""
    return lent(pytestconfig, "cosmic-ray", "stevedore")
