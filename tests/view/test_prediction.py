"""A prediction is answered before the cell that settles it, and never after."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from ringlab.view import Prediction, predict
from ringlab.view import prediction as prediction_module

OPTIONS = ["it returns", "it hangs"]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    shell = InteractiveShell()
    monkeypatch.setattr(prediction_module, "get_ipython", lambda: shell)
    monkeypatch.setattr(prediction_module, "_open_questions", prediction_module._OpenQuestions())
    shell.user_ns["predict"] = predict
    return shell


def run(shell: InteractiveShell, code: str) -> None:
    assert shell.run_cell(code).success


def note(prediction: Prediction) -> str:
    return str(prediction.children[2].value)


def test_the_next_cell_locks_the_answer_and_shows_the_right_one(shell: InteractiveShell) -> None:
    run(
        shell, f"p = predict('What happens?', options={OPTIONS}, answer='it hangs', because='Why.')"
    )
    asked = shell.user_ns["p"]
    asked.children[1].value = 0
    assert not asked.is_locked and asked.value == "it returns"
    run(shell, "1 + 1")
    assert asked.is_locked and asked.children[1].disabled
    assert "You said: it returns." in note(asked)
    assert "The answer: it hangs." in note(asked) and "Why." in note(asked)


def test_another_question_settles_nothing(shell: InteractiveShell) -> None:
    run(shell, f"p = predict('One?', options={OPTIONS}, answer='it hangs')")
    run(shell, "q = predict('Two?', slider=(0, 512, 32), answer=192, unit='MiB')")
    one, two = shell.user_ns["p"], shell.user_ns["q"]
    assert not one.is_locked and not two.is_locked
    two.children[1].value = 192
    run(shell, "pass")
    assert one.is_locked and two.is_locked
    assert "You gave no answer." in note(one)
    assert "You said: 192 MiB." in note(two) and "As you said." in note(two)


def test_a_failing_cell_settles_too(shell: InteractiveShell) -> None:
    run(shell, f"p = predict('What?', options={OPTIONS}, answer='it hangs')")
    shell.run_cell("1 / 0")
    assert shell.user_ns["p"].is_locked


def test_asking_again_starts_over(shell: InteractiveShell) -> None:
    code = f"p = predict('What?', options={OPTIONS}, answer='it hangs')"
    run(shell, code)
    first = shell.user_ns["p"]
    run(shell, "pass")
    run(shell, code)
    again = shell.user_ns["p"]
    assert first.is_locked and not again.is_locked and again.value is None


def test_a_measured_answer_can_be_given_when_it_is_known(shell: InteractiveShell) -> None:
    asked = predict("How long?", slider=(0.0, 2.0, 0.1), unit="ms")
    asked.children[1].value = 0.5
    asked.reveal(1.2, because="Median of 7.")
    assert "It is 1.2 ms." in note(asked) and "Median of 7." in note(asked)


def test_the_untouched_slider_is_no_answer() -> None:
    asked = predict("How many?", slider=(0, 8), answer=0)
    assert asked.value is None
    asked.reveal()
    assert "You gave no answer." in note(asked)


def test_question_and_answers_are_escaped_and_backticks_are_code() -> None:
    asked = predict("Is `a < b` <b>?", options=["<i>"], answer="<i>")
    assert "<code>a &lt; b</code> &lt;b&gt;?" in asked.children[0].value
    asked.reveal()
    assert "&lt;i&gt;" in note(asked)


@pytest.mark.parametrize(
    "wrong",
    [{}, {"options": []}, {"slider": (3, 3)}, {"slider": (1,)}, {"options": [1], "slider": (0, 1)}],
)
def test_a_question_without_a_way_to_answer_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="options to choose from, or a slider"):
        predict("What?", **wrong)
