"""A learner's guess before a measurement: a number, a number for each of several places, or a choice."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import current, mark, number, spoken, typography, with_colon
from loaderlab.i18n.language import translate as _

NEAR = 1.5  # a guess is near where it is at most so many times too high or too low
TRUE_OR_FALSE = {True: mark("true"), False: mark("false")}

Guess = Any  # a number, a tuple of numbers, or one of the keys of `choices`


@dataclass(frozen=True)
class Prediction:
    """A request for a guess: ``question`` says in a few words what the number is, or what is to be chosen.

    Without more, the answer is a number, in ``unit``. With ``places`` it is one number for each of them; places that are
    whole numbers lie on an axis, and the answer is a curve. With ``choices`` it is one of their keys, which are bool, int or str; the values say
    what is shown. Question, unit, places and the values of choices are marked messages where languages differ.
    """

    name: str
    question: str
    unit: str = ""
    places: tuple[str, ...] = ()
    choices: Mapping[Any, str] = field(default_factory=dict)
    computed: bool = False

    @property
    def label(self) -> str:
        """The question in the current language, with the unit."""
        return f"{_(self.question)} ({_(self.unit)})" if self.unit else _(self.question)

    @property
    def heading(self) -> str:
        """The label, as it stands before an answer: with a colon where it is no question."""
        return self.label if self.label.endswith("?") else with_colon(self.label)

    @property
    def is_curve(self) -> bool:
        """True if the numbers are points of a line."""
        return bool(self.places) and all(place.isdecimal() for place in self.places)

    @property
    def expected(self) -> str:
        """The kind of guess that is accepted, in words of the current language."""
        if self.choices:
            return _("one of {choices}").format(choices=", ".join(map(repr, self.choices)))
        if self.places:
            return _("a list of numbers, so many: {count}").format(count=len(self.places))
        return _("a number")

    def checked(self, guess: Any) -> Guess:
        """Return ``guess`` as it is kept; raises :class:`LabError` where it is none. JSON's lists become tuples."""
        if self.choices:
            # In Python True is 1: the kind must agree as well.
            found = [
                key
                for key in self.choices
                if key == guess and isinstance(key, bool) == isinstance(guess, bool)
            ]
            if found:
                return found[0]
        elif self.places:
            if isinstance(guess, Sequence) and len(guess) == len(self.places) and all(map(_is_number, guess)):
                return tuple(guess)
        elif _is_number(guess):
            return guess
        raise LabError(
            _("{guess!r} is no guess for {name!r}. Expected: {expected}.").format(
                guess=guess, name=self.name, expected=self.expected
            )
        )

    def near(self, guess: Guess, measured: Guess) -> bool:
        """Return whether the guess is the measured one, or every number of it near."""
        if self.choices:
            return bool(guess == measured)
        return all(_near(*pair) for pair in zip(_all(guess), _all(measured), strict=True))

    def written(self, value: Guess) -> str:
        """Return a guess, or what was measured, in the current language."""
        if self.choices:
            return _(self.choices.get(value, str(value)))
        gap = "" if self.unit in ("", "%") else " "
        return typography(", ".join(map(digits, _all(value))) + gap + _(self.unit), current())


def read(text: str) -> float:
    """Return the number that a learner typed, as their language or Python writes it, with or without a unit behind it.

    Raises :class:`LabError` where there is none.
    """
    plain = re.sub(r"(?<=\d)[\s\u00a0\u202f](?=\d{3}(?!\d))", "", text.strip()).replace("\N{MINUS SIGN}", "-")
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain) if spoken().decimal == "." else plain
    found = re.match(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?", plain)
    if found is None:
        raise LabError(
            _("{text!r} is no number. Type one, such as 16 or {example}.").format(
                text=text, example=number(0.5, 1)
            )
        )
    value = float(found[0].replace(",", "."))
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def digits(value: float) -> str:
    """Return a number with the digits that count, three at most, and all before the point."""
    places = max(0, 2 - math.floor(math.log10(abs(value)))) if value and math.isfinite(value) else 0
    fewest = next(count for count in range(places + 1) if round(value, count) == round(value, places))
    return number(value, fewest)


def _all(value: Guess) -> Sequence[float]:
    return value if isinstance(value, Sequence) else [value]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _near(guess: float, measured: float) -> bool:
    if guess * measured <= 0:
        return guess == measured
    return 1 / NEAR <= guess / measured <= NEAR
