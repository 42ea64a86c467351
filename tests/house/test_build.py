"""What learners open is what authors wrote, and says so when it is not."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from ringlab import build
from ringlab.build.compare import differences
from ringlab.build.lesson import BuildError, lessons, read_lesson, unsolved
from ringlab.build.run import store_still

Catalog = Callable[[str], Any]


@pytest.fixture
def built(course: Path, catalog: Catalog) -> Path:
    build.build(root=course, entries=catalog, run=False, say=lambda line: None)
    return course


def read(root: Path, name: str = "notebooks/02_doubling.ipynb") -> Any:
    return nbformat.read(root / name, as_version=4)


def part(notebook: Any, name: str) -> Any:
    (cell,) = [
        cell for cell in notebook.cells if cell.metadata.get("ringlab", {}).get("part") == name
    ]
    return cell


def edit(path: Path, change: Callable[[Any], None]) -> None:
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    path.write_text(build.dump(notebook))


def test_an_exercise_line_becomes_task_answer_check_and_hints(built: Path) -> None:
    parts = [cell.metadata.get("ringlab", {}).get("part") for cell in read(built).cells]
    assert parts == [None, None, "task", "answer", "check", "hints", None, None]
    assert "Write `double`." in part(read(built), "task").source
    assert part(read(built), "check").source == "lab.check(double)"
    hints = part(read(built), "hints").source
    assert hints.count("<details>") == 2
    assert "solutions/02_doubling.ipynb" in hints


def test_the_unsolved_cell_runs_and_raises_only_when_called(built: Path) -> None:
    source = part(read(built), "answer").source
    assert "math.prod" not in source
    assert '"""Twice the number."""' in source
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    with pytest.raises(NotImplementedError, match="double is not written yet"):
        namespace["double"](1)


def test_the_solved_cell_is_the_reference_answer(built: Path) -> None:
    solved = part(read(built, "solutions/02_doubling.ipynb"), "answer").source
    assert solved + "\n" == (built / "solutions" / "double.py").read_text()


def test_the_exercise_file_is_the_todo(built: Path) -> None:
    text = (built / "exercises" / "double.py").read_text()
    assert "./course check double" in text
    assert part(read(built), "answer").source in text
    compile(text, "double.py", "exec")


def test_nbgrader_finds_its_fields(built: Path) -> None:
    notebook = read(built)
    fields = [cell.metadata.nbgrader for cell in notebook.cells if "nbgrader" in cell.metadata]
    assert [field.grade_id for field in fields] == ["double", "double-check"]
    answer, check = fields
    assert (answer.solution, answer.grade, answer.locked) == (True, False, False)
    assert (check.solution, check.grade, check.locked, check.points) == (False, True, True, 5)
    assert {field.schema_version for field in fields} == {3}
    assert {field.cell_type for field in fields} == {"code"}


def test_a_code_cell_in_prose_stays_prose(course: Path) -> None:
    path = course / "lessons" / "02_doubling.md"
    path.write_text("# A\n\n```python\nx = 1\n```\n\n```{code-cell} python\ny = 2\n```\n")
    kinds = [block.kind for block in read_lesson(path).cells]
    assert kinds == ["markdown", "code"]


def test_a_new_cell_changes_no_other_cells_id(course: Path, catalog: Catalog) -> None:
    build.build(root=course, entries=catalog, run=False, say=lambda line: None)
    before = [cell.id for cell in read(course).cells]
    path = course / "lessons" / "02_doubling.md"
    path.write_text(path.read_text().replace("Twice *two*.", "Twice *two*.\n\n+++\n\nNew."))
    build.build(root=course, entries=catalog, run=False, say=lambda line: None)
    after = [cell.id for cell in read(course).cells]
    assert len(after) == len(before) + 1
    # The cell that was cut in two keeps its words, so only the new one is new.
    assert len(set(after) - set(before)) == 1


def test_two_equal_cells_have_two_ids(course: Path, catalog: Catalog) -> None:
    path = course / "lessons" / "02_doubling.md"
    path.write_text("```{code-cell} python\n1\n```\n" * 3)
    build.build(root=course, entries=catalog, run=False, say=lambda line: None)
    assert len({cell.id for cell in read(course).cells}) == 3


def test_building_twice_gives_the_same_bytes(built: Path, catalog: Catalog) -> None:
    before = {path: path.read_bytes() for path in built.rglob("*.*") if path.is_file()}
    build.build(root=built, entries=catalog, run=False, say=lambda line: None)
    after = {path: path.read_bytes() for path in built.rglob("*.*") if path.is_file()}
    assert before == after


# Running


def test_demo_outputs_are_stored_and_outputs_of_the_answer_are_not(executed: Path) -> None:
    stored = [bool(cell.outputs) for cell in read(executed).cells if cell.cell_type == "code"]
    assert stored == [True, False, False, False]
    solved = read(executed, "solutions/02_doubling.ipynb")
    outputs = [cell.outputs for cell in solved.cells if cell.cell_type == "code"]
    assert outputs[2][0].text == "checked 4\n"
    assert outputs[3][0].text == "yours: 8\n"


def test_counts_are_stored_with_outputs_and_times_are_not(executed: Path) -> None:
    counts = {}
    for name in ("notebooks", "solutions"):
        text = (executed / name / "02_doubling.ipynb").read_text()
        assert "iopub" not in text
        cells = json.loads(text)["cells"]
        counts[name] = [c["execution_count"] for c in cells if c["cell_type"] == "code"]
    assert counts == {"notebooks": [1, None, None, None], "solutions": [1, 2, 3, 4]}


def test_without_running_unchanged_cells_keep_their_outputs(
    executed: Path, catalog: Catalog, tmp_path: Path
) -> None:
    copy = shutil.copytree(executed, tmp_path / "copy")
    build.build(root=copy, entries=catalog, run=False, say=lambda line: None)
    for name in ("notebooks", "solutions"):
        path = f"{name}/02_doubling.ipynb"
        assert (copy / path).read_bytes() == (executed / path).read_bytes()


def test_a_cell_that_fails_stops_the_build_and_changes_nothing(
    course: Path, catalog: Catalog
) -> None:
    path = course / "lessons" / "02_doubling.md"
    path.write_text("# A\n\n```{code-cell} python\nx = 1\n1 / 0\n```\n")
    with pytest.raises(BuildError, match=r"02_doubling.md: .*'x = 1' failed: (.|\n)*division by"):
        build.build(root=course, entries=catalog, say=lambda line: None)
    assert not (course / "notebooks" / "02_doubling.ipynb").exists()


def test_this_machines_folders_are_not_stored(course: Path) -> None:
    from ringlab.build.run import _tidy_outputs

    cell = nbformat.v4.new_code_cell("x")
    text = f"{sys.prefix}/lib/a.py and /tmp/ipykernel_77/12345.py: <X object at 0x7f00aa11bb22>"
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
    notebook = nbformat.v4.new_notebook(cells=[cell])
    _tidy_outputs(notebook, {})
    assert cell.outputs[0].text == ".venv/lib/a.py and <cell>: <X object at 0x...>"


def test_a_players_picture_is_kept_and_its_widget_is_not(course: Path) -> None:
    data = {
        "application/vnd.jupyter.widget-view+json": {"model_id": "1", "version_major": 2},
        "image/png": "AAAA",
        "text/plain": "the ring",
    }
    cell = nbformat.v4.new_code_cell("x", outputs=[nbformat.v4.new_output("display_data", data)])
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {}})
    store_still(notebook)
    assert "widgets" not in notebook.metadata
    (output,) = notebook.cells[0].outputs
    assert "image/png" in output.data
    assert "widget-view" not in json.dumps(output)


# Checking


def test_what_was_built_and_run_passes_the_check(executed: Path, catalog: Catalog) -> None:
    assert differences(executed, catalog) == ([], 4)


def check(root: Path, catalog: Catalog) -> list[str]:
    return differences(root, catalog)[0]


def test_what_was_built_passes_the_check(built: Path, catalog: Catalog) -> None:
    assert differences(built, catalog) == ([], 4)


def test_outputs_do_not_count(built: Path, catalog: Catalog) -> None:
    def run(notebook: Any) -> None:
        notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text="other\n")]

    edit(built / "notebooks" / "02_doubling.ipynb", run)
    assert check(built, catalog) == []


def test_an_edited_cell_is_named_with_its_line(built: Path, catalog: Catalog) -> None:
    def change(notebook: Any) -> None:
        part(notebook, "answer").source += "\nprint(1)"

    edit(built / "notebooks" / "02_doubling.ipynb", change)
    (sentence,) = check(built, catalog)
    assert sentence.startswith(
        "notebooks/02_doubling.ipynb, cell 3, line 8: 'print(1)' is committed, nothing"
    )


def test_edited_metadata_is_named(built: Path, catalog: Catalog) -> None:
    def change(notebook: Any) -> None:
        part(notebook, "check").metadata.nbgrader.points = 99

    edit(built / "solutions" / "02_doubling.ipynb", change)
    (sentence,) = check(built, catalog)
    assert sentence.startswith("solutions/02_doubling.ipynb, cell 4, metadata")


def test_a_cell_too_few_is_named(built: Path, catalog: Catalog) -> None:
    edit(built / "notebooks" / "02_doubling.ipynb", lambda notebook: notebook.cells.pop())
    (sentence,) = check(built, catalog)
    assert "number of cells" in sentence


def test_a_changed_solution_shows_in_the_exercise_file(built: Path, catalog: Catalog) -> None:
    path = built / "solutions" / "double.py"
    path.write_text(path.read_text().replace("Twice", "Two times"))
    said = check(built, catalog)
    assert len(said) == 3
    assert any(sentence.startswith("exercises/double.py, line") for sentence in said)


def test_a_stored_output_of_an_answer_is_refused(built: Path, catalog: Catalog) -> None:
    def run(notebook: Any) -> None:
        part(notebook, "check").outputs = [nbformat.v4.new_output("stream", text="passed\n")]

    edit(built / "notebooks" / "02_doubling.ipynb", run)
    (sentence,) = check(built, catalog)
    assert "an output is stored where none belongs" in sentence


@pytest.mark.parametrize(
    "name", ["notebooks/02_doubling.ipynb", "solutions/02_doubling.ipynb", "exercises/double.py"]
)
def test_a_missing_file_is_named(built: Path, catalog: Catalog, name: str) -> None:
    (built / name).unlink()
    (sentence,) = check(built, catalog)
    assert sentence.startswith(f"{name} is missing")


def test_a_file_built_from_nothing_is_named(built: Path, catalog: Catalog) -> None:
    (built / "notebooks" / "99_gone.ipynb").write_text("{}")
    (sentence,) = check(built, catalog)
    assert sentence.startswith("notebooks/99_gone.ipynb is built from no lesson")


@pytest.mark.parametrize("text", ["{}", "not json", '{"cells": [', "[]"])
def test_a_broken_notebook_is_named_and_breaks_nothing(
    built: Path, catalog: Catalog, text: str
) -> None:
    (built / "notebooks" / "02_doubling.ipynb").write_text(text)
    (sentence,) = check(built, catalog)
    assert sentence.startswith("notebooks/02_doubling.ipynb")


def test_a_file_saved_by_another_program_is_named(built: Path, catalog: Catalog) -> None:
    path = built / "notebooks" / "02_doubling.ipynb"
    path.write_text(json.dumps(json.loads(path.read_text())))
    (sentence,) = check(built, catalog)
    assert "is not written as ./course build writes it" in sentence


# Wrong sources


def test_an_untagged_use_of_the_answer_is_refused(course: Path) -> None:
    path = course / "lessons" / "02_doubling.md"
    path.write_text(path.read_text().replace(":tags: [needs-answer]\n\n", ""))
    with pytest.raises(BuildError, match="uses double, .* without the tag needs-answer"):
        lessons(course)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    pass\n",
        "def f():\n    ### BEGIN SOLUTION\n    pass\n",
        "def f():\n    pass\n    ### END SOLUTION\n",
        "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION\n",
    ],
)
def test_markers_that_do_not_pair_are_refused(text: str) -> None:
    with pytest.raises(BuildError, match="BEGIN"):
        unsolved(text, "f", Path("f.py"))


def test_each_blank_of_a_class_raises_and_a_helper_is_only_a_comment() -> None:
    text = (
        "class C:\n    def a(self):\n        ### BEGIN SOLUTION\n        x\n"
        "        ### END SOLUTION\n\n    def b(self):\n        ### BEGIN SOLUTION\n        y\n"
        "        ### END SOLUTION\n\n\n### BEGIN SOLUTION\ndef helper():\n    pass\n"
        "### END SOLUTION\n"
    )
    blank = unsolved(text, "C", Path("C.py"))
    assert blank.count("raise NotImplementedError") == 2
    assert blank.endswith("\n\n# TODO: your code here.\n")
    exec(blank, {})


def test_an_exercise_without_solution_or_entry_is_named(course: Path, catalog: Catalog) -> None:
    lesson = course / "lessons" / "02_doubling.md"
    lesson.write_text("```{exercise} triple\n```\n")
    with pytest.raises(BuildError, match=r"triple, and solutions/triple.py does not exist"):
        build.build(root=course, entries=catalog, run=False)
    (course / "solutions" / "triple.py").write_text("### BEGIN SOLUTION\n### END SOLUTION\n")
    with pytest.raises(BuildError, match="triple, and the catalog does not have it"):
        build.build(root=course, entries=catalog, run=False)


def test_an_exercise_asked_for_twice_is_named(course: Path) -> None:
    (course / "lessons" / "03_again.md").write_text("```{exercise} double\n```\n")
    with pytest.raises(BuildError, match=r"twice: in 02_doubling.md and in 03_again.md"):
        lessons(course)


def test_a_lesson_without_number_is_named(course: Path) -> None:
    (course / "lessons" / "Draft.md").write_text("text")
    with pytest.raises(BuildError, match=r"Draft.md: a lesson is called NN_name.md"):
        lessons(course)


@pytest.mark.parametrize("name", ["02", "2", "02_doubling", "02_doubling.md"])
def test_a_lesson_is_found_by_number_or_name(course: Path, name: str) -> None:
    assert [lesson.name for lesson in lessons(course, [name])] == ["02_doubling"]


def test_an_unknown_lesson_is_named(course: Path) -> None:
    with pytest.raises(BuildError, match=r"no lesson '77'. The lessons are: 02_doubling"):
        lessons(course, ["77"])


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    build.write(path, "old")

    def fail(*arguments: object) -> None:
        raise OSError("no")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="no"):
        build.write(path, "new")
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
