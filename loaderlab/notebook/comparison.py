"""A guess beside what was measured, and how near it was."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any

from loaderlab.course.prediction import Guess, Prediction, digits
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.language import with_colon
from loaderlab.notebook import session
from loaderlab.notebook.card import framed, heading, html
from loaderlab.notebook.sketch import GUESSED, MEASURED, Scale, sketch


def compare(name: str, measured: Guess) -> Comparison:
    """Show your guess of the prediction ``name`` beside what was measured; each is left out where it is not there (None).

    Raises :class:`LabError` where numbers were asked for, and ``measured`` is none; where there was a choice, a machine may
    find what nobody proposed.
    """
    prediction = session.prediction(name)
    now = session.current()
    if measured is not None:
        now.measured[name] = measured = measured if prediction.choices else prediction.checked(measured)
    return Comparison(prediction, now.guesses.get(name), measured)


class Comparison:
    """Guess and measurement of a prediction, as bars or lines and as plain text."""

    def __init__(self, prediction: Prediction, guess: Guess | None, measured: Guess | None) -> None:
        self.prediction, self.guess, self.measured = prediction, guess, measured

    @property
    def sentence(self) -> str:
        """The sentence that says how near the guess was; empty without a guess."""
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
        lines = [self.prediction.label, *(f"  {line}" for line in self._said()), self.sentence]
        return "\n".join(filter(None, lines))

    def _repr_html_(self) -> str:
        shown = self._lines() if self.prediction.is_curve else self._bars()
        sentence = f'<div style="margin-top:0.4em">{html(self.sentence)}</div>' if self.sentence else ""
        return framed(MEASURED, f"{heading(self.prediction.label)}{shown}{sentence}")

    def _said(self) -> list[str]:
        """Return the values shown at each place, in words."""
        said = []
        for place, values in self._rows():
            words = [(label if place else with_colon(label), text) for label, _colour, _value, text in values]
            found = ", ".join(f"{label} {text}" for label, text in words)
            said.append(f"{with_colon(place)} {found}" if place else found)
        return said

    def _bars(self) -> str:
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
        return _grid(cells)

    def _lines(self) -> str:
        """Return guess and measurement in one picture, and below it their numbers, with a mark in the colour of the line."""
        asked = self.prediction
        guess, measured = (() if of is None else of for of in (self.guess, self.measured))
        svg = sketch(
            Scale.of([*guess, *measured]),
            guess,
            measured,
            list(map(_, asked.places)),
            colours="color:#333;background:#fff",
        )
        data = base64.b64encode(svg.encode()).decode()
        cells = [
            f'<div><span style="color:{colour}">{"■" if colour == MEASURED else "●"}</span> {escape(label)}</div>'
            f"<div>{html(asked.written(of))}</div>"
            for label, colour, of in self._shown()
        ]
        said = escape("; ".join(self._said()))
        style = "display:block;max-width:100%;margin:0.4em 0;border-radius:8px"
        return f'<img alt="{said}" src="data:image/svg+xml;base64,{data}" style="{style}">{_grid(cells)}'

    def _shown(self) -> list[tuple[str, str, Any]]:
        """Guess and measurement, where they are there: whose it is, colour, values."""
        both: tuple[tuple[str, str, Any], ...] = (
            (_("your guess"), GUESSED, self.guess),
            (_("computed") if self.prediction.computed else _("measured"), MEASURED, self.measured),
        )
        return [each for each in both if each[-1] is not None]

    def _rows(self) -> list[tuple[str, list[tuple[str, str, Any, str]]]]:
        """Return the name of each place, and the marks drawn there: whose it is, colour, value, text."""
        asked, shown = self.prediction, self._shown()
        if not asked.places:
            return [("", [(label, colour, value, asked.written(value)) for label, colour, value in shown])]
        return [
            (_(place), [(label, colour, of[at], asked.written(of[at])) for label, colour, of in shown])
            for at, place in enumerate(asked.places)
        ]


def _grid(cells: Sequence[str]) -> str:
    return f'<div style="display:grid;grid-template-columns:max-content 1fr;gap:0.2em 1em">{"".join(cells)}</div>'


def _bar(colour: str, share: float) -> str:
    return (
        f'<span style="display:inline-block;vertical-align:middle;height:0.9em;min-width:2px;margin-right:0.5em;'
        f'width:{60 * share:.1f}%;background:{colour}"></span>'
    )
