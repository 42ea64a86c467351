"""pyproject.toml says what is needed, constraints.txt which version, environment.yml the same."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
CONDA_NAMES = {"torch": "pytorch"}


def declared(*extras: str) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = [text for extra in extras for text in project["optional-dependencies"][extra]]
    return [Requirement(text) for text in project["dependencies"] + optional]


def pinned() -> list[Requirement]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def version(requirement: Requirement) -> str:
    (specifier,) = requirement.specifier
    return specifier.version


def conda() -> dict[str, str]:
    """Names and exact versions in environment.yml, those that its pip installs too."""
    text = (ROOT / "environment.yml").read_text()
    entries = re.findall(r"^\s+- ([\w-]+)==?([\w.]+)$", text, re.MULTILINE)
    return dict(entries)


def test_every_pin_is_exact() -> None:
    for requirement in pinned():
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], requirement


def test_every_package_needed_is_pinned_within_its_range() -> None:
    pins = {canonicalize_name(pin.name): version(pin) for pin in pinned()}
    for requirement in declared("test", "sandbox"):
        pin = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(pin), f"{requirement} against {pin}"


def test_conda_has_the_same_packages_in_the_same_versions() -> None:
    pins = {canonicalize_name(pin.name): version(pin) for pin in pinned()}
    names = [canonicalize_name(requirement.name) for requirement in declared("test")]
    expected = {CONDA_NAMES.get(name, name): pins[name] for name in names}
    assert conda() == expected


def test_conda_brings_the_sandbox_with_the_course() -> None:
    # PyPI alone has it; the extra leaves it out where it does not run.
    assert "- -e .[sandbox]" in (ROOT / "environment.yml").read_text()


def test_torch_is_one_version_without_a_build_tag() -> None:
    (torch,) = [pin for pin in pinned() if pin.name == "torch"]
    assert str(torch.specifier) == "==2.13.0"
    (needed,) = [requirement for requirement in declared() if requirement.name == "torch"]
    assert str(needed.specifier) == str(torch.specifier)


@pytest.mark.parametrize("python", ["3.11.2", "3.11.9", "3.12.0", "3.13.0"])
def test_one_pin_a_package_applies_on_each_python(python: str) -> None:
    environment = {"python_full_version": python, "python_version": python.rpartition(".")[0]}
    names = [
        canonicalize_name(pin.name)
        for pin in pinned()
        if pin.marker is None or pin.marker.evaluate(environment)
    ]
    assert len(names) == len(set(names))
    assert "soupsieve" in names
