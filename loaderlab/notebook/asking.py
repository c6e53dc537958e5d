"""The questions of an explorer: a button sets the controls as its question begins, and a field takes the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from loaderlab.course.prediction import Guess, read
from loaderlab.course.question import Question
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.notebook.card import html


class Asking:
    """A button for each question, and below them the one that was chosen; with ipywidgets 7 and 8.

    ``begin(question)`` is called when a question is chosen.
    """

    def __init__(self, questions: Sequence[Question], begin: Callable[[Question], None]) -> None:
        import ipywidgets as widgets

        self._widgets, self._begin = widgets, begin
        self.buttons = [
            widgets.Button(description=_("Question {number}").format(number=number + 1))
            for number in range(len(questions))
        ]
        for button, question in zip(self.buttons, questions, strict=True):
            button.on_click(lambda _button, question=question: self._ask(question))
        first = html(
            _("Choose a question: the sliders move to where it begins, and a field for your answer opens.")
        )
        self.said = widgets.HTML(first)
        self.asked = widgets.Box([self.said])
        row = widgets.Box(self.buttons)
        row.add_class("lab-questions")
        self.asked.add_class("lab-asked")
        self.box = widgets.VBox([row, self.asked])

    def _ask(self, question: Question) -> None:
        asked = question.asked
        if asked.choices:
            options = [("…", None), *((_(words), key) for key, words in asked.choices.items())]
            field = self._widgets.Dropdown(options=options, value=None)
        else:
            field = self._widgets.Text(placeholder=_("your answer"), continuous_update=False)
        field.observe(partial(self._judge, question), names="value")
        self.said = self._widgets.HTML()
        self.asked.children = [self._widgets.HTML(f"<b>{html(asked.heading)}</b>"), field, self.said]
        self._begin(question)

    def _judge(self, question: Question, change: dict[str, Any]) -> None:
        if (typed := change["new"]) in (None, ""):
            return
        try:
            guess: Guess = question.asked.checked(typed if question.asked.choices else read(typed))
            words = (
                _("✓ Right.") if question.right(guess) else _("✗ Not so. Move the sliders, and look again.")
            )
        except LabError as error:  # a front end swallows what a callback raises
            words = f"⚠ {error}"
        self.said.value = f'<span role="status" aria-live="polite">{html(words)}</span>'
