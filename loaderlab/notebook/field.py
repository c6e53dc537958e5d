"""The field for a guess before measuring: typed numbers, the curve that they draw, or a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from loaderlab.course.prediction import Guess, Prediction, digits, read
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import access, session
from loaderlab.notebook.card import html
from loaderlab.notebook.curve_field import STYLE, Curve
from loaderlab.notebook.view import view


def predict(name: str, guess: Guess = None) -> Field:
    """Return a field for your guess of the prediction ``name``; with ``guess``, it is made right here.

    Nothing waits for a guess, and none is graded; a later one replaces it. Raises :class:`LabError` where the lesson asks
    for no such guess, or ``guess`` is none.
    """
    prediction = session.prediction(name)
    if guess is not None:
        session.current().note_guess(name, prediction.checked(guess))
    return Field(prediction)


class Field:
    """The field in which a guess is typed, drawn or chosen, with ipywidgets 7 and 8; it begins with the earlier guess."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction

    @property
    def guess(self) -> Guess:
        """The guess so far; None: there is none."""
        return session.current().guesses.get(self.prediction.name)

    def __repr__(self) -> str:
        guess = "…" if self.guess is None else self.prediction.written(self.guess)
        return f"{self.prediction.heading} {guess}"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return {**view(self._box()), "text/plain": repr(self)}

    def _box(self) -> Any:
        """Return the widgets of one output."""
        import ipywidgets as widgets

        said = widgets.HTML()

        def note(take: Callable[[], Guess | None]) -> None:
            """Note a guess; say errors where the learner looks, since a front end swallows what a callback raises."""
            try:
                if (guess := take()) is None:
                    return
                session.current().note_guess(self.prediction.name, self.prediction.checked(guess))
                text = _("✓ Your guess: {guess}. Now run the next cell.").format(
                    guess=self.prediction.written(guess)
                )
            except LabError as error:
                text = f"⚠ {error}"
            said.value = f'<span role="status" aria-live="polite">{html(text)}</span>'

        parts = self._choice(widgets, note) if self.prediction.choices else self._numbers(widgets, note)
        css = STYLE.read_text(encoding="utf-8") if self.prediction.is_curve else ""
        box = widgets.VBox([widgets.HTML(access.style(css)), *parts, said])
        box.add_class("lab-guess")
        return box

    def _choice(self, widgets: Any, note: Callable[[Callable[[], Guess]], None]) -> list[Any]:
        asked = self.prediction
        keys = list(asked.choices)
        radio = widgets.RadioButtons(
            options=[_(words) for words in asked.choices.values()],
            index=None if self.guess is None else keys.index(self.guess),
            layout={"width": "auto"},
        )
        radio.observe(
            lambda change: note(lambda: None if change["new"] is None else keys[change["new"]]), names="index"
        )
        return [widgets.HTML(f"<b>{html(asked.label)}</b>"), radio]

    def _numbers(self, widgets: Any, note: Callable[[Callable[[], Guess]], None]) -> list[Any]:
        asked = self.prediction
        before: Sequence[Any] = [self.guess] if not asked.places else self.guess or [None] * len(asked.places)
        fields = [
            widgets.Text(
                value="" if number is None else digits(number),
                placeholder=_("your guess"),
                description=label,
                continuous_update=False,
                style={"description_width": "initial"},
                layout={"width": "max-content", "max_width": "100%"},
            )
            for label, number in zip(
                map(_, asked.places) if asked.places else [asked.label], before, strict=True
            )
        ]

        def taken() -> Guess | None:
            if not all(field.value.strip() for field in fields):
                return None  # some are still to come
            numbers = [read(field.value) for field in fields]
            return numbers if asked.places else numbers[0]

        for field in fields:
            field.observe(lambda _change: note(taken), names="value")
        if not asked.places:
            return fields
        below = [Curve(widgets, fields).box] if asked.is_curve else fields
        return [widgets.HTML(f"<b>{html(asked.label)}</b>"), *below]
