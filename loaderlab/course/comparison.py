"""A guess beside what was measured, and the verdict on each number of it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any

from loaderlab.course.markup import framed, heading, html
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.course.sketch import GUESSED, MEASURED, Linear, Scale, sketch
from loaderlab.course.yardstick import Outcome
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.language import with_colon

# What `loaderlab pool --bets` reads of a learner's notebook, and `agenda --notes` and `quiz` of the course's; nothing shows it.
BET = "application/vnd.loaderlab.bet+json"


class Comparison:
    """Guess and measurement of a prediction of a lesson, as bars or lines and as plain text."""

    def __init__(
        self, prediction: Prediction, guess: Guess | None, measured: Guess | None, lesson: str = ""
    ) -> None:
        self.prediction, self.guess, self.measured, self.lesson = prediction, guess, measured, lesson

    @property
    def outcomes(self) -> list[Outcome]:
        """The verdict on each number, or on the choice; none without a guess, or where nothing was measured."""
        if self.guess is None or self.measured is None:
            return []
        return self.prediction.outcomes(self.guess, self.measured)

    @property
    def sentence(self) -> str:
        """The sentence on the whole: the verdict where there is one number, and of several what else is right; or why there is none."""
        if self.measured is None:
            return _("Not measured here: the cell above says why.")
        outcomes = self.outcomes
        if len(outcomes) == 1:
            return str(outcomes[0])
        wrong = not all(outcome.good for outcome in outcomes)
        return _("The order is as you guessed.") if wrong and self._in_order else ""

    @property
    def _in_order(self) -> bool:
        return self.prediction.ordered(self.guess, self.measured)

    def __repr__(self) -> str:
        lines = [self.prediction.label, *(f"  {line}" for line in self._said()), self.sentence]
        return "\n".join(filter(None, lines))

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        """Return what was measured, and the guess if there is one (else None), beside what is shown."""
        if self.measured is None:
            return {}
        about = {"lesson": self.lesson, "name": self.prediction.name}
        return {BET: {**about, "guess": self.guess, "measured": self.measured}}

    def _repr_html_(self) -> str:
        return framed(MEASURED, heading(self.prediction.label) + self.html)

    @property
    def html(self) -> str:
        """The guess beside what was measured, without the question: as it stands on the card that has asked."""
        shown = self._lines() if self.prediction.is_curve else self._bars()
        sentence = f'<div style="margin-top:0.4em">{html(self.sentence)}</div>' if self.sentence else ""
        return shown + sentence

    def _said(self) -> list[str]:
        """Return the values shown at each place, in words, with the verdict where there are several."""
        values = self._values()
        return [
            f"{line}. {verdict}" if verdict else line
            for line, verdict in zip(values, self._verdicts(), strict=True)
        ]

    def _values(self) -> list[str]:
        """Return the values shown at each place, in words."""
        said = []
        for place, values in self._rows():
            words = [(label if place else with_colon(label), text) for label, _colour, _value, text in values]
            found = ", ".join(f"{label} {text}" for label, text in words)
            said.append(f"{with_colon(place)} {found}" if place else found)
        return said

    def _bars(self) -> str:
        rows = self._rows()
        shown = () if self.prediction.choices else rows
        numbers = [value for _place, values in shown for _label, _colour, value, _text in values]
        # Bars of what counts as nothing are short, whichever is longest.
        least = max(10 * getattr(by, "nothing", 0) for by in self.prediction.yardsticks)
        longest = max(least, *map(abs, numbers), 0) or 1
        cells = []
        for (place, values), verdict in zip(rows, self._verdicts(), strict=True):
            if place:
                cells.append(f'<div style="grid-column:1/-1;margin-top:0.3em">{html(place)}</div>')
            for label, colour, value, text in values:
                bar = "" if self.prediction.choices else _bar(colour, abs(value) / longest)
                cells.append(f"<div>{escape(label)}</div><div>{bar}{html(text)}</div>")
            if verdict:
                cells.append(f'<div style="grid-column:1/-1">{html(verdict)}</div>')
        return _grid(cells)

    def _verdicts(self) -> list[str]:
        """Return what stands below each place; where there is only one, the sentence of the whole does."""
        if self.prediction.places and (outcomes := self.outcomes):
            return list(map(str, outcomes))
        return [""] * max(1, len(self.prediction.places))

    def _lines(self) -> str:
        """Return guess and measurement in one picture, and below it their numbers, with a mark in the colour of the line."""
        asked = self.prediction
        guess, measured = (() if of is None else of for of in (self.guess, self.measured))
        svg = sketch(
            (Scale if asked.top is None else Linear).of([*guess, *measured]),
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
        for place, verdict in zip(asked.places, self._verdicts(), strict=True):
            if verdict:
                cells.append(f"<div>{html(_(place))}</div><div>{html(verdict)}</div>")
        said = escape(" · ".join(self._values()))
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
