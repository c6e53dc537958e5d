"""A learner's guess before a measurement: a number, a number for each of several places, or a choice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loaderlab.course.numerals import digits, read
from loaderlab.course.yardstick import Amount, Choice, Outcome, Yardstick
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import current, mark, typography, with_colon
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.languages import BY_CODE

WHY = mark("Why?")  # the title of the fold that explains what was measured
TRUE_OR_FALSE = {True: mark("true"), False: mark("false")}

Guess = Any  # a number, a tuple of numbers, or one of the keys of `choices`


@dataclass(frozen=True)
class Prediction:
    """A request for a guess: ``question`` says in a few words what the number is, or what is to be chosen.

    Without more, the answer is a number, in ``unit``. With ``places`` it is one number for each of them; places that are
    whole numbers lie on an axis, and the answer is a curve, from zero up to ``top`` where that is given (the same for every answer: it
    tells nothing), else on an axis of powers of ten. With ``choices`` it is one of their keys, which are bool, int or str; the values say
    what is shown. Question, unit, places and the values of choices are marked messages where languages differ.

    ``by`` is the yardstick of the verdict: one, or one for each place. With ``order``, the right order of the places is said.
    """

    name: str
    question: str
    unit: str = ""
    places: tuple[str, ...] = ()
    choices: Mapping[Any, str] = field(default_factory=dict)
    computed: bool = False
    by: Yardstick | tuple[Yardstick, ...] | None = None
    order: bool = False
    top: float | None = None

    @property
    def yardsticks(self) -> tuple[Yardstick, ...]:
        """The yardstick of each number, or of the choice."""
        by = self.by if self.by is not None else Choice() if self.choices else Amount(low=-math.inf)
        return by if isinstance(by, tuple) else (by,) * max(1, len(self.places))

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
            return _("a list of numbers, of length {count}").format(count=len(self.places))
        return _("a number") if self.by is None else self.yardsticks[0].expected

    def formed(self, value: Any) -> Guess:
        """Return a guess, or what was measured, as it is kept; raises :class:`LabError` where it is none. JSON's lists become tuples."""
        if self.choices:
            for key in self.choices:  # in Python True is 1: the kind must agree as well
                if key == value and isinstance(key, bool) == isinstance(value, bool):
                    return key
        elif self.places:
            if isinstance(value, Sequence) and len(value) == len(self.places) and all(map(_is_number, value)):
                return tuple(value)
        elif _is_number(value):
            return value
        raise LabError(
            _("{guess!r} is no guess for {name!r}. Expected: {expected}.").format(
                guess=value, name=self.name, expected=self.expected
            )
        )

    def checked(self, guess: Any) -> Guess:
        """Return ``guess`` as it is kept; raises :class:`LabError` where it is none, or cannot be."""
        formed = self.formed(guess)
        if not self.choices:
            for number, yardstick in zip(_all(formed), self.yardsticks, strict=True):
                yardstick.check(number)
        return formed

    def typed(self, texts: Sequence[str]) -> Guess:
        """Return the guess that stands in the fields, one for each place; raises :class:`LabError` where one holds no such number."""
        numbers = [read(text, self.unit) for text in texts]
        for text, number in zip(texts, numbers, strict=True):
            # .6 of somebody who thinks of 0.6 of 1 would be 0.6%.
            if self.unit == "%" and 0 < number < 1 and "%" not in text:
                raise LabError(
                    _("{small} or {large}? Type the number with %.").format(
                        small=self.written_one(number), large=self.written_one(100 * number)
                    )
                )
        return self.checked(numbers if self.places else numbers[0])

    def outcomes(self, guess: Guess, measured: Guess) -> list[Outcome]:
        """Return the verdict on each number of a guess, or on the choice."""
        parts = zip(self.yardsticks, self._parts(guess), self._parts(measured), strict=True)
        return [yardstick.judge(one, other, self.written_one) for yardstick, one, other in parts]

    def good(self, guess: Guess, measured: Guess) -> bool:
        """Return whether all of a guess is right or near."""
        return all(outcome.good for outcome in self.outcomes(guess, measured))

    def ordered(self, guess: Guess, measured: Guess) -> bool:
        """Return whether the places of a guess have the order of those measured, where that is asked for."""
        pairs = list(zip(guess, measured, strict=True)) if self.order and self.places else []
        return bool(pairs) and all(
            guessed < other for guessed, found in pairs for other, larger in pairs if found < larger
        )

    def written(self, value: Guess) -> str:
        """Return a guess, or what was measured, in the current language."""
        if self.choices:
            return self.written_one(value)
        comma = BY_CODE[current()].decimal == ","  # which then cannot stand between two numbers, too
        return typography(("; " if comma else ", ").join(map(digits, _all(value))) + self._behind, current())

    def written_one(self, value: Any) -> str:
        """Return one number of a guess with its unit, or a choice."""
        if self.choices:
            return _(self.choices.get(value, str(value)))
        return typography(digits(value) + self._behind, current())

    @property
    def _behind(self) -> str:
        return ("" if self.unit in ("", "%") else " ") + _(self.unit)

    def _parts(self, value: Guess) -> Sequence[Any]:
        return value if self.places else [value]


def _all(value: Guess) -> Sequence[float]:
    return value if isinstance(value, Sequence) else [value]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
