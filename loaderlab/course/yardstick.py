"""The yardstick of a guess: which numbers it can be, and what is said of it beside what was measured.

Each question has its own: a count is right or wrong, a time is near within what is noise for it, of a speed the direction matters
first. Wrong answers that many give are known by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from loaderlab.course.numerals import digits
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _

RIGHT, NEAR, WRONG = "✓", "≈", "✗"
_SAME = 0.02  # a guess is a known wrong answer where it is so near to it
_NEAR = 2  # no guess that is further off than by this factor is called near
_FEW = 3  # percentage points: a difference that is small whatever its factor


@dataclass(frozen=True)
class Outcome:
    """The verdict on one number, or one choice, of a guess: its mark, and a sentence."""

    mark: str
    text: str

    @property
    def good(self) -> bool:
        """True if the guess was right or near."""
        return self.mark in (RIGHT, NEAR)

    def __str__(self) -> str:
        return f"{self.mark} {self.text}"


@dataclass(frozen=True)
class Yardstick:
    """A yardstick: ``known`` maps wrong answers that many give to a sentence each, a marked message; ``close`` those that miss a detail.

    A guess lies from ``low`` to ``high``.
    """

    known: Mapping[Any, str] = field(default_factory=dict)
    close: Mapping[Any, str] = field(default_factory=dict)
    low: float = 0
    high: float = math.inf
    whole = False

    def judge(self, guess: Any, measured: Any, written: Callable[[Any], str] = str) -> Outcome:
        """Return the verdict on ``guess``; ``written`` writes a number, or a choice, as it is shown."""
        if guess == measured:
            return Outcome(RIGHT, _("As you guessed."))
        if self.near(guess, measured):
            return Outcome(NEAR, self.praise(guess, measured))
        if detail := self._said(self.close, guess):
            return Outcome(NEAR, detail)
        return Outcome(WRONG, self.reason(guess) or self.difference(guess, measured, written))

    def near(self, guess: Any, measured: Any) -> bool:
        """Return whether a guess that is not what was measured is as good."""
        return False

    def reason(self, guess: Any) -> str:
        """Return what is said of a wrong guess that is known; empty for any other."""
        return self._said(self.known, guess)

    def _said(self, sentences: Mapping[Any, str], guess: Any) -> str:
        return next((_(said) for wrong, said in sentences.items() if _same(guess, wrong, self.whole)), "")

    def praise(self, _guess: Any, _measured: Any) -> str:
        """Return the sentence on a guess that is near."""
        return _("You were near.")

    def difference(self, _guess: Any, _measured: Any, _written: Callable[[Any], str]) -> str:
        """Return the sentence on a guess that is wrong."""
        return _("Not as you guessed.")

    def check(self, guess: float) -> None:
        """Raise :class:`LabError` where a guess cannot be this number."""
        if not self.low <= guess <= self.high or (self.whole and guess != round(guess)):
            raise LabError(
                _("The guess cannot be {guess}. Expected: {expected}.").format(
                    guess=digits(guess), expected=self.expected
                )
            )

    @property
    def expected(self) -> str:
        """The numbers that a guess can be, in words of the current language."""
        if math.isinf(self.high):
            form = _("a whole number, {low} or more") if self.whole else _("a number, {low} or more")
        elif self.whole:
            form = _("a whole number from {low} to {high}")
        else:
            form = _("a number from {low} to {high}")
        high = "" if math.isinf(self.high) else digits(self.high)
        return form.format(low=digits(self.low), high=high)


@dataclass(frozen=True)
class Choice(Yardstick):
    """The yardstick of a choice, which is right or wrong, and next to no other one, be it a number."""

    whole = True


@dataclass(frozen=True)
class Count(Yardstick):
    """The yardstick of what is counted, which is right or wrong; zero is a number as others are."""

    whole = True


@dataclass(frozen=True)
class Amount(Yardstick):
    """The yardstick of a time, a size or a rate: near within a ``factor``, and where the difference is ``nothing`` at most.

    Below ``nothing``, in the unit of the question, what is measured counts as nothing.
    """

    factor: float = 1.25
    nothing: float = 0

    def near(self, guess: float, measured: float) -> bool:
        """Return whether the guess is within the factor, or no further off than what counts as nothing."""
        if abs(guess - measured) <= self.nothing:
            return True
        return _times(guess, measured) <= self.factor

    def praise(self, guess: float, measured: float) -> str:
        """Return the sentence on a guess that is near."""
        if self.nothing and max(abs(guess), abs(measured)) <= self.nothing:
            return _("Next to nothing, as you guessed.")
        return (
            _("You were near.")
            if _times(guess, measured) <= _NEAR
            else _("The difference is next to nothing.")
        )

    def difference(self, guess: float, measured: float, written: Callable[[Any], str]) -> str:
        """Return by which factor the guess is too high or too low, or that one of the two is nothing."""
        if abs(measured) <= self.nothing:
            return (
                _("Too high: the result is next to nothing.")
                if measured
                else _("Too high: the result is zero.")
            )
        if guess * measured <= 0:
            return _("Too low: the result is {measured}, and not zero.").format(measured=written(measured))
        return _off(guess, measured)


@dataclass(frozen=True)
class Share(Yardstick):
    """The yardstick of a share in percent: near within so many percentage ``points``, and no further off than by a factor of 2."""

    high: float = 100
    points: float = 10

    def near(self, guess: float, measured: float) -> bool:
        """Return whether the guess is within the points, and where these are more than a few, within the factor."""
        return abs(guess - measured) <= min(self.points, max(_FEW, max(guess, measured) / _NEAR))

    def difference(self, guess: float, measured: float, _written: Callable[[Any], str]) -> str:
        """Return by how many points the guess is too high or too low."""
        words = (
            _("Too high, by {points} percentage points.")
            if guess > measured
            else _("Too low, by {points} percentage points.")
        )
        return words.format(points=number(abs(guess - measured)))


@dataclass(frozen=True)
class Ratio(Yardstick):
    """The yardstick of "how many times as long, as large": 1 is no difference, and more and less are two directions.

    A guess is good within a ``factor``, and in the right direction; within ``even`` of 1 there is no difference. Who expects one
    where there is none, or none where there is one, is near only at that border. Where the factor is large, since nobody can know
    more than the direction, what is said is no more.
    """

    low: float = 1e-6
    factor: float = 1.3
    even: float = 1.15

    def near(self, guess: float, measured: float) -> bool:
        """Return whether the guess has the right direction, and is within the factor; or both are no difference."""
        expected, found = self._side(guess), self._side(measured)
        if measured <= 0 or expected * found < 0:
            return False
        if expected == found:
            return not found or _times(guess, measured) <= self.factor
        return _times(guess, measured) <= min(self.factor, math.sqrt(self.even))

    def praise(self, guess: float, measured: float) -> str:
        """Return that the guess is near, or only its direction right."""
        side = self._side(measured)
        if not side or _times(guess, measured) <= _NEAR:
            return _("You were near.")
        return self._sentences()[side, side].format(measured=digits(_times(measured, 1)))

    def difference(self, guess: float, measured: float, _written: Callable[[Any], str]) -> str:
        """Return what was expected and what it is, where the direction is wrong; else the factor."""
        expected, found = (guess > 1) - (guess < 1), self._side(measured)
        if found == 0:
            return _("There is next to no difference.")
        if expected == found:
            return _off(guess, measured)
        sentence = self._sentences()[expected, found]
        return sentence.format(guess=digits(_times(guess, 1)), measured=digits(_times(measured, 1)))

    def _side(self, ratio: float) -> int:
        return 0 if 1 / self.even <= ratio <= self.even else 1 if ratio > 1 else -1

    def _sentences(self) -> dict[tuple[int, int], str]:
        return {
            (1, 1): _("The direction is right; it is more, by a factor of {measured}."),
            (-1, -1): _("The direction is right; it is less, by a factor of {measured}."),
            (1, -1): _("You expected more; it is less, by a factor of {measured}."),
            (-1, 1): _("You expected less; it is more, by a factor of {measured}."),
            (0, -1): _("You expected no difference; it is less, by a factor of {measured}."),
            (0, 1): _("You expected no difference; it is more, by a factor of {measured}."),
        }

    @property
    def expected(self) -> str:
        """The numbers that a guess can be, in words of the current language."""
        return _("a number above 0: 2 is twice as much, {half} half as much").format(half=number(0.5, 1))


@dataclass(frozen=True)
class Speed(Ratio):
    """The yardstick of "how many times as fast"."""

    def _sentences(self) -> dict[tuple[int, int], str]:
        return {
            (1, 1): _("The direction is right; it is {measured} times faster."),
            (-1, -1): _("The direction is right; it is {measured} times slower."),
            (1, -1): _("You expected {guess} times faster; it is {measured} times slower."),
            (-1, 1): _("You expected {guess} times slower; it is {measured} times faster."),
            (0, -1): _("You expected no difference; it is {measured} times slower."),
            (0, 1): _("You expected no difference; it is {measured} times faster."),
        }


def _times(guess: float, measured: float) -> float:
    """Return by which factor two numbers differ, 1 or more."""
    return max(guess / measured, measured / guess) if guess * measured > 0 else math.inf


def _off(guess: float, measured: float) -> str:
    words = (
        _("Too high, by a factor of {factor}.")
        if guess > measured
        else _("Too low, by a factor of {factor}.")
    )
    return words.format(factor=digits(_times(guess, measured)))


def _same(guess: Any, wrong: Any, exact: bool) -> bool:
    """Return whether a guess is a wrong answer that is known; in Python True is 1, and here it is not."""
    if isinstance(wrong, bool | str) or isinstance(guess, bool | str):
        return type(wrong) is type(guess) and wrong == guess
    return bool(abs(guess - wrong) <= (0 if exact else _SAME * abs(wrong)))
