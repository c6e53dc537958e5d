"""A guess has a place: the field that asks for it, and the line that shows it beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from loaderlab.course.prediction import Guess, Prediction, digits, read
from loaderlab.notebook import session
from loaderlab.notebook.card import html
from loaderlab.notebook.stored import VIEW
from loaderlab.words.errors import LabError
from loaderlab.words.language import translate as _

GUESSED, MEASURED = "#e69f00", "#0072b2"  # orange and blue; the words say the same


def predict(name: str, guess: Guess = None) -> Field:
    """A field for your guess of the prediction ``name``; with ``guess``, it is made right here.

    Nothing waits for a guess, and none is graded; a later one replaces it. Raises :class:`LabError` where the lesson asks
    for no such guess, or ``guess`` is none.
    """
    prediction = _prediction(name)
    if guess is not None:
        session.current().note_guess(name, prediction.checked(guess))
    return Field(prediction)


def compare(name: str, measured: Guess) -> Comparison:
    """Your guess of the prediction ``name`` beside what was measured; each is left out where it is not there (None).

    Raises :class:`LabError` where numbers were asked for, and ``measured`` is none; where there was a choice, a machine may
    find what nobody proposed.
    """
    prediction = _prediction(name)
    now = session.current()
    if measured is not None:
        now.measured[name] = measured = measured if prediction.choices else prediction.checked(measured)
    return Comparison(prediction, now.guesses.get(name), measured)


def _prediction(name: str) -> Prediction:
    known = session.current().lesson.predictions()
    if name not in known:
        raise LabError(
            _("This lesson asks for no guess {name!r}. It asks for: {known}. Use one of these names.").format(
                name=name, known=", ".join(known) or "–"
            )
        )
    return known[name]


class Field:
    """Where a guess is typed or chosen, with ipywidgets 7 and 8; what was guessed before stands in it."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction

    @property
    def guess(self) -> Guess:
        """The guess so far; None: there is none."""
        return session.current().guesses.get(self.prediction.name)

    def __repr__(self) -> str:
        colon = "" if self.prediction.label.endswith("?") else ":"
        return f"{self.prediction.label}{colon} {'…' if self.guess is None else self.prediction.written(self.guess)}"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        view = {"version_major": 2, "version_minor": 0, "model_id": self._box().model_id}
        return {VIEW: view, "text/plain": repr(self)}

    def _box(self) -> Any:
        """The widgets of one output."""
        import ipywidgets as widgets

        said = widgets.HTML()

        def note(take: Callable[[], Guess | None]) -> None:
            """A front end swallows what a callback raises, so it is said where the learner looks."""
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
        box = widgets.VBox([*parts, said])
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
        return [widgets.HTML(f"<b>{html(asked.label)}</b>"), *fields] if asked.places else fields


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
        return (
            f'<div style="border-left:6px solid {MEASURED};padding:0.5em 1em;margin:0.3em 0"><b>{html(self.prediction.label)}</b>'
            f'<div style="display:grid;grid-template-columns:max-content 1fr;gap:0.2em 1em">{"".join(cells)}</div>{sentence}</div>'
        )

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
