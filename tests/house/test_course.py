"""The shell script finds a Python that runs, or says in one sentence that there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "readlink")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the script is for POSIX shells")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the script with a bootstrap that only says which Python runs it."""
    (tmp_path / "course folder" / "ringlab").mkdir(parents=True)
    folder = tmp_path / "course folder"
    shutil.copy(ROOT / "course", folder)
    (folder / "ringlab" / "bootstrap.py").write_text(
        "import sys\nprint('ran', sys.version_info[:2] >= (3, 11), sys.argv[1:])\n"
    )
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    return folder


def put(folder: Path, name: str, script: str) -> None:
    program = folder.parent / "bin" / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def call(
    folder: Path, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(folder / "course"), *arguments],
        env={"PATH": str(folder.parent / "bin"), "HOME": str(folder)},
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
    )


THIS_PYTHON = f'exec "{sys.executable}" "$@"'
OLD_PYTHON = "case $* in *python_version*) echo 3.9.18;; *) exit 1;; esac"
SHIM = "echo 'pyenv: python3: command not found' >&2; exit 127"


def test_arguments_arrive_as_they_were_given(folder: Path) -> None:
    put(folder, "python3", THIS_PYTHON)
    done = call(folder, "check", "a b", "*")
    assert done.stdout.strip() == "ran True ['check', 'a b', '*']"


def test_a_shim_that_does_not_run_is_passed_over(folder: Path) -> None:
    put(folder, "python3", SHIM)
    put(folder, "python", SHIM)
    put(folder, "python3.12", THIS_PYTHON)
    assert call(folder, "lab").stdout.startswith("ran True")


def test_an_old_python_first_on_path_is_passed_over(folder: Path) -> None:
    put(folder, "python3", OLD_PYTHON)
    put(folder, "python3.11", THIS_PYTHON)
    assert call(folder, "lab").stdout.startswith("ran True")


def test_one_that_makes_environments_is_preferred(folder: Path) -> None:
    put(folder, "python3", 'case $* in *ensurepip*) exit 3;; *) echo "the wrong one";; esac')
    put(folder, "python3.13", THIS_PYTHON)
    assert call(folder, "lab").stdout.startswith("ran True")


def test_a_too_old_python_is_named(folder: Path) -> None:
    put(folder, "python3", OLD_PYTHON)
    done = call(folder, "lab")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "needs Python 3.11 or newer" in done.stderr
    assert "3.9.18" in done.stderr


def test_no_python_at_all_is_one_sentence(folder: Path) -> None:
    done = call(folder, "test")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "none was found" in done.stderr


def test_works_from_another_folder_and_through_a_link(folder: Path, tmp_path: Path) -> None:
    put(folder, "python3", THIS_PYTHON)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "ring").symlink_to("../course folder/course")
    done = subprocess.run(
        ["./ring", "doctor"],
        cwd=elsewhere,
        env={"PATH": str(folder.parent / "bin")},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "ran True ['doctor']"
