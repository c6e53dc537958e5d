"""A guess beside what was measured, and how near it was."""

from __future__ import annotations

from html import escape
from typing import Any

from loaderlab.course.prediction import Guess, Prediction, digits
from loaderlab.notebook import session
from loaderlab.notebook.card import framed, html
from loaderlab.words.language import translate as _

GUESSED, MEASURED = "#e69f00", "#0072b2"  # orange and blue; the words say the same


def compare(name: str, measured: Guess) -> Comparison:
    """Your guess of the prediction ``name`` beside what was measured; each is left out where it is not there (None).

    Raises :class:`LabError` where numbers were asked for, and ``measured`` is none; where there was a choice, a machine may
    find what nobody proposed.
    """
    prediction = session.prediction(name)
    now = session.current()
    if measured is not None:
        now.measured[name] = measured = measured if prediction.choices else prediction.checked(measured)
    return Comparison(prediction, now.guesses.get(name), measured)


class Comparison:
    """Guess and measurement of a prediction, as bars and as plain text."""

    def __init__(self, prediction: Prediction, guess: Guess | None, measured: Guess | None) -> None:
        self.prediction, self.guess, self.measured = prediction, guess, measured

    @property
    def sentence(self) -> str:
        """How near the guess was; nothing where there is none."""
        if self.measured is None:
            return _("Not measured here: the cell above says why.")
        if self.guess is None:
            return ""
        near = self.prediction.near(self.guess, self.measured)
        if self.prediction.choices:
            return _("As you guessed.") if near else _("Not as you guessed.")
        if self.guess == self.measured:
            return _("As you guessed.")
        if near:
            return _("You were near.")
        if self.prediction.places or self.guess * self.measured <= 0:
            return _("Not as you guessed.")
        factor = self.guess / self.measured
        words = (
            _("Too high, by a factor of {factor}.") if factor > 1 else _("Too low, by a factor of {factor}.")
        )
        return words.format(factor=digits(max(factor, 1 / factor)))

    def __repr__(self) -> str:
        lines = [self.prediction.label]
        for place, values in self._rows():
            found = ", ".join(f"{label} {text}" for label, _colour, _value, text in values)
            lines.append(f"  {place}: {found}" if place else f"  {found}")
        return "\n".join([*lines, *filter(None, [self.sentence])])

    def _repr_html_(self) -> str:
        rows = self._rows()
        numbers = [
            value
            for _place, values in rows
            for _label, _colour, value, _text in values
            if not self.prediction.choices
        ]
        longest = max(map(abs, numbers), default=0) or 1
        cells = []
        for place, values in rows:
            if place:
                cells.append(f'<div style="grid-column:1/-1;margin-top:0.3em">{html(place)}</div>')
            for label, colour, value, text in values:
                bar = "" if self.prediction.choices else _bar(colour, abs(value) / longest)
                cells.append(f"<div>{escape(label)}</div><div>{bar}{html(text)}</div>")
        sentence = f'<div style="margin-top:0.4em">{html(self.sentence)}</div>' if self.sentence else ""
        grid = f'<div style="display:grid;grid-template-columns:max-content 1fr;gap:0.2em 1em">{"".join(cells)}</div>'
        return framed(MEASURED, f"<b>{html(self.prediction.label)}</b>{grid}{sentence}")

    def _rows(self) -> list[tuple[str, list[tuple[str, str, Any, str]]]]:
        """For each place its name, and what is shown there: whose it is, colour, value, text."""
        asked = self.prediction
        both: tuple[tuple[str, str, Any], ...] = (
            (_("your guess"), GUESSED, self.guess),
            (_("computed") if asked.computed else _("measured"), MEASURED, self.measured),
        )
        shown = [each for each in both if each[-1] is not None]
        if not asked.places:
            return [("", [(label, colour, value, asked.written(value)) for label, colour, value in shown])]
        return [
            (_(place), [(label, colour, of[at], asked.written(of[at])) for label, colour, of in shown])
            for at, place in enumerate(asked.places)
        ]


def _bar(colour: str, share: float) -> str:
    return (
        f'<span style="display:inline-block;vertical-align:middle;height:0.9em;min-width:2px;margin-right:0.5em;'
        f'width:{60 * share:.1f}%;background:{colour}"></span>'
    )
