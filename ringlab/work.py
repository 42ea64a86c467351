"""The learner's own copies, in work/: made once, never overwritten, kept by a reset."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import time
from pathlib import Path

from ringlab.words import cli as words

ROOT = Path(__file__).resolve().parent.parent


class CommandError(Exception):
    """Why a command can't be carried out, in one sentence."""

    def __init__(self, sentence: str, status: int = 1):
        super().__init__(sentence)
        self.status = status


def work_folder(root: Path = ROOT) -> Path:
    return root / "work"


def bring_lessons(root: Path = ROOT) -> list[Path]:
    """Copy into work/ the notebooks that are not there yet. Raises CommandError."""
    sources = sorted((root / "notebooks").glob("*.ipynb"))
    if not sources:
        raise CommandError(words.NO_LESSONS)
    return [copy for source in sources if (copy := bring(source, root)) is not None]


def bring(source: Path, root: Path) -> Path | None:
    """A copy of source in work/, whole or not at all; None if something is there already."""
    target = work_folder(root) / source.name
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            return None
        try:
            shutil.copyfile(source, part)
            if source.suffix == ".ipynb":
                _make_own(part)
            os.link(part, target)  # fails where another call was faster
        except FileExistsError:
            return None
        except OSError:
            if target.exists() or not part.exists():
                raise
            os.replace(part, target)  # a file system without hard links
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(
            words.WORK_FAILED.format(path=shown(target, root), reason=error.strerror)
        ) from None
    return target


def _make_own(path: Path) -> None:
    """What a kernel here would write into a notebook when it is opened, and no other machine's.

    Otherwise JupyterLab calls a notebook changed as soon as it is opened, and saves it.
    """
    try:
        notebook = json.loads(path.read_text("utf-8"))
    except ValueError:
        return  # a damaged notebook is copied as it is, and JupyterLab says so
    notebook["metadata"]["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    notebook["metadata"]["language_info"] = {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "lab.doctor()" in "".join(cell["source"]):
            cell["outputs"], cell["execution_count"] = [], None
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def lesson_copies(root: Path = ROOT) -> list[Path]:
    """The learner's notebooks in the lessons' order."""
    names = sorted(path.name for path in (root / "notebooks").glob("*.ipynb"))
    return [work_folder(root) / name for name in names]


def shown(path: Path, root: Path = ROOT) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def reset(lesson: str, root: Path = ROOT) -> list[str]:
    """Bring a fresh copy of the lesson, the old one kept beside it; what was done, in sentences."""
    sources = sorted((root / "notebooks").glob("*.ipynb"))
    wanted = lesson.removesuffix(".ipynb")
    hits = [
        path
        for path in sources
        if wanted in (path.stem, path.stem[:2], path.stem[:2].lstrip("0") or "0")
    ]
    if not hits:
        known = ", ".join(path.stem for path in sources)
        raise CommandError(words.NO_LESSON.format(name=lesson, known=known))
    said = []
    target = work_folder(root) / hits[0].name
    if target.exists():
        kept = _free_name(target)
        try:
            target.rename(kept)
        except OSError as error:
            raise CommandError(
                words.WORK_FAILED.format(path=shown(target, root), reason=error.strerror)
            ) from None
        said.append(words.KEPT.format(old=shown(target, root), kept=kept.name))
    bring(hits[0], root)
    return [*said, words.FRESH.format(path=shown(target, root))]


_KEPT = re.compile(r"\.\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(-\d+)?$")


def _free_name(path: Path) -> Path:
    stamp = time.strftime("%Y-%m-%d_%H-%M-%S")  # as in _KEPT
    number = 1
    kept = path.with_name(f"{path.stem}.{stamp}{path.suffix}")
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.stem}.{stamp}-{number}{path.suffix}")
    return kept


def answers(exercise: str, root: Path = ROOT) -> list[tuple[Path, bool]]:
    """Every file in work/ with an answer, the one to judge first, and whether it is written.

    Copies that a reset kept are left out.
    """
    folder = work_folder(root)
    files = [path for path in folder.glob("*") if path.suffix in (".py", ".ipynb")]
    files = [path for path in files if not _KEPT.search(path.stem)]
    unwritten = words.TODO_ERROR.format(exercise=exercise)
    found = []
    for path in files:
        text = path.read_text("utf-8", errors="replace")
        if f"def {exercise}" in text or f"class {exercise}" in text:
            found.append((unwritten not in text, path.stat().st_mtime, path))
    return [(path, written) for written, _, path in sorted(found, reverse=True)]
