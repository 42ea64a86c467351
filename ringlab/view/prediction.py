"""A question that is answered before the cell that settles it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import ipywidgets as widgets
from IPython.core.getipython import get_ipython

from ringlab.view.style import with_code
from ringlab.words import view as words

Number = int | float


class Prediction(widgets.VBox):  # type: ignore[misc]
    """The question, something to answer with, and later the answer.

    It is settled by the first cell that runs after it and asks no question itself, or by
    ``reveal``. Nothing ever waits for the reader.
    """

    def __init__(
        self,
        question: str,
        options: Sequence[Any] | None = None,
        slider: Sequence[Number] | None = None,
        answer: Any = None,
        because: str = "",
        unit: str = "",
    ) -> None:
        if (options is None) == (slider is None) or (options is not None and not options):
            raise ValueError(words.BAD_PREDICTION)
        if slider is not None and (len(slider) not in (2, 3) or slider[0] >= slider[1]):
            raise ValueError(words.BAD_PREDICTION)
        self.question = question
        self.options = tuple(options) if options is not None else None
        self.slider = tuple(slider) if slider is not None else None
        self.answer = answer
        self.because = because
        self.unit = unit
        self._answered = False
        self.is_locked = False
        self._control = _choice(self.options) if self.options else _slider(self.slider or (0, 1))
        self._control.observe(self._on_answer, "value")
        self._note = widgets.HTML(_small(words.LOCK_NOTE))
        self._note.add_class("ringlab-prediction-note")
        head = f"<b>{escape(words.PREDICT)}.</b> {with_code(question)}"
        asked = widgets.HTML(f'<div style="font-size:15px;line-height:1.5">{head}</div>')
        super().__init__([asked, self._control, self._note])
        self.add_class("ringlab-prediction")
        _open_questions.ask(self)

    @property
    def value(self) -> Any:
        """What the reader has said so far, None for nothing."""
        if not self._answered:
            return None
        chosen = self._control.value
        return self.options[chosen] if self.options is not None else chosen

    def reveal(self, answer: Any = None, because: str = "") -> None:
        """Lock the reader's answer and show the right one; a measured one may be given here."""
        if answer is not None:
            self.answer = answer
        self.because = because or self.because
        self.is_locked = True
        self._control.disabled = True
        said = words.NO_ANSWER
        if self._answered:
            said = words.YOUR_ANSWER.format(answer=self._with_unit(self.value))
        parts = [f"<span>{with_code(said)}</span>"]
        if self.answer is not None:
            right = self._answered and self.value == self.answer
            parts.append(f"<b>{with_code(words.RIGHT if right else self._answer_in_words())}</b>")
        if self.because:
            parts.append(f"<span>{with_code(self.because)}</span>")
        self._note.value = f'<div style="line-height:1.5">{" ".join(parts)}</div>'

    def _with_unit(self, value: Any) -> str:
        return f"{value} {self.unit}".strip()

    def _answer_in_words(self) -> str:
        template = words.THE_ANSWER if self.slider else words.THE_ANSWER_TEXT
        return template.format(answer=self._with_unit(self.answer))

    def _on_answer(self, change: dict[str, Any]) -> None:
        self._answered = change["new"] is not None

    def _choices_in_words(self) -> str:
        if self.options is not None:
            quoted = " / ".join(str(option) for option in self.options)
            return words.CHOICES.format(options=quoted)
        low, high = (self.slider or (0, 1))[:2]
        return words.RANGE.format(low=low, high=self._with_unit(high))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live question, and beside it what stays when no kernel is there."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if not bundle:
            return bundle
        plain = f"{words.PREDICT}. {self.question}\n{self._choices_in_words()}"
        bundle["text/plain"] = plain
        bundle["text/html"] = self._still()
        return bundle

    def _still(self) -> str:
        if self.options is not None:
            items = "".join(f"<li>{with_code(str(option))}</li>" for option in self.options)
            choices = f"<ul>{items}</ul>"
        else:
            choices = f"<p>{escape(self._choices_in_words())}</p>"
        folded = ""
        if self.answer is not None:
            said = f"{self._answer_in_words()} {self.because}".strip()
            head = f"<summary>{escape(words.ANSWER)}</summary>"
            folded = f"<details>{head}<p>{with_code(said)}</p></details>"
        return (
            f'<div class="ringlab-prediction"><p><b>{escape(words.PREDICT)}.</b> '
            f"{with_code(self.question)}</p>{choices}<p><i>{escape(words.NO_KERNEL_NOTE)}</i></p>"
            f"{folded}</div>"
        )


class _OpenQuestions:
    """The questions that no cell has settled yet."""

    def __init__(self) -> None:
        self._open: list[Prediction] = []
        self._asked_now = False
        self._shell: Any = None

    def ask(self, prediction: Prediction) -> None:
        self._open = [p for p in self._open if p.question != prediction.question]
        self._open.append(prediction)
        self._asked_now = True
        shell = get_ipython()
        if shell is not None and shell is not self._shell:
            shell.events.register("post_run_cell", self._after_cell)
            self._shell = shell

    def _after_cell(self, result: Any = None) -> None:
        asked, self._asked_now = self._asked_now, False
        if not asked:
            waiting, self._open = self._open, []
            for prediction in waiting:
                if not prediction.is_locked:
                    prediction.reveal()


_open_questions = _OpenQuestions()


def predict(
    question: str,
    options: Sequence[Any] | None = None,
    slider: Sequence[Number] | None = None,
    answer: Any = None,
    because: str = "",
    unit: str = "",
) -> Prediction:
    """Ask the reader for a prediction, with ``options`` or a ``slider`` of (low, high[, step]).

    The reader's answer is locked, and ``answer`` shown with its reason, when the next cell that is
    not a question runs. Raises ValueError if there is nothing to answer with.
    """
    return Prediction(question, options, slider, answer, because, unit)


def _choice(options: Sequence[Any]) -> widgets.RadioButtons:
    numbered = [(str(option), index) for index, option in enumerate(options)]
    return widgets.RadioButtons(
        options=numbered, value=None, layout=widgets.Layout(width="max-content")
    )


def _slider(limits: Sequence[Number]) -> Any:
    low, high = limits[0], limits[1]
    step = limits[2] if len(limits) > 2 else 1
    whole = all(isinstance(number, int) for number in (low, high, step))
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    layout = widgets.Layout(width="min(420px, 100%)")
    return kind(value=low, min=low, max=high, step=step, layout=layout)


def _small(sentence: str) -> str:
    return f'<div style="font-size:12.5px;opacity:.75">{escape(sentence)}</div>'
