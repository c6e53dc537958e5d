"""The class's guesses in a lesson together: a row for each question and place, how many guessed well, and the picture.

A learner's stand in the notebook beside what was measured. Nothing in a notebook is trusted.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from loaderlab import course, drawing
from loaderlab.course import Lesson
from loaderlab.course.comparison import BET
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.drawing.bets import Guesses, bets
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

MOST = 200  # guesses of a notebook


@dataclass(frozen=True)
class Bet:
    """A guess that was made, and what the same notebook measured then."""

    prediction: Prediction
    lesson: str
    guess: Guess
    measured: Guess

    @property
    def places(self) -> list[tuple[str, Any, Any, bool]]:
        """The name of each place (empty where there is one number, or a choice), the guess, what was measured, and whether it was good."""
        outcomes = self.prediction.outcomes(self.guess, self.measured)
        if not self.prediction.places:
            return [("", self.guess, self.measured, outcomes[0].good)]
        good = [outcome.good for outcome in outcomes]
        return list(zip(self.prediction.places, self.guess, self.measured, good, strict=True))


def of_learner(content: bytes) -> list[Bet]:
    """Return the guesses of a notebook, the last of each name; never raises."""
    found: dict[tuple[str, str], Bet] = {}
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        for cell in json.loads(content.decode("utf-8-sig"))["cells"]:
            for output in cell.get("outputs") or ():
                said = (output.get("data") or {}).get(BET)
                if isinstance(said, dict) and len(found) < MOST and (bet := _bet(said)):
                    found[bet.lesson, bet.prediction.name] = bet
    return list(found.values())


def _bet(said: Mapping[str, Any]) -> Bet | None:
    """Return what a notebook says, if the course has such a question and both can be answers to it."""
    lesson = next((each for each in course.lessons() if each.name == said.get("lesson")), None)
    prediction = lesson.predictions().get(str(said.get("name"))) if lesson else None
    if lesson is None or prediction is None:
        return None
    try:
        return Bet(
            prediction,
            lesson.name,
            prediction.checked(said.get("guess")),
            prediction.formed(said.get("measured")),
        )
    except LabError:
        return None


@dataclass(frozen=True)
class Row:
    """The class's guesses at one place of a question (``place``: empty where there is only one)."""

    prediction: Prediction
    place: str
    guesses: tuple[Guess, ...]
    measured: tuple[Guess, ...]
    good: int

    @property
    def name(self) -> str:
        """The question, with its place."""
        return f"{self.prediction.label} · {_(self.place)}" if self.place else self.prediction.label

    @property
    def commonest(self) -> str:
        """The guess: the median of numbers, or what most chose."""
        if self.prediction.choices:
            return self.prediction.written(Counter(self.guesses).most_common(1)[0][0])
        return self.prediction.written(statistics.median(self.guesses))

    @property
    def found(self) -> str:
        """The measurement, likewise."""
        if self.prediction.choices:
            return self.prediction.written(Counter(self.measured).most_common(1)[0][0])
        return self.prediction.written(statistics.median(self.measured))

    @property
    def ratios(self) -> list[float]:
        """Each guess divided by what the same learner measured; nothing where it was a choice."""
        if self.prediction.choices:
            return []
        pairs = zip(self.guesses, self.measured, strict=True)
        return [1.0 if guess == found else guess / found if found else float("inf") for guess, found in pairs]


def rows(learners: Sequence[Sequence[Bet]], lesson: Lesson) -> list[Row]:
    """Return a row for each place of each question, in the order of the lesson."""
    found: dict[tuple[str, str], list[tuple[Guess, Guess, bool]]] = {}
    for bet in (bet for learner in learners for bet in learner if bet.lesson == lesson.name):
        for place, guess, measured, good in bet.places:
            found.setdefault((bet.prediction.name, place), []).append((guess, measured, good))
    predictions = lesson.predictions()
    places = [(name, place) for name, each in predictions.items() for place in each.places or [""]]
    made = []
    for name, place in sorted(found, key=places.index):
        guesses, measured, near = zip(*found[name, place], strict=True)
        made.append(Row(predictions[name], place, guesses, measured, sum(near)))
    return made


def sentences(rows: Sequence[Row]) -> list[str]:
    """Return for each row what was guessed, what was measured, and how many were near it."""
    said = _("{question}: guessed {guess}, measured {found}, close guesses: {good} of {all}.")
    return [
        said.format(
            question=row.name, guess=row.commonest, found=row.found, good=row.good, all=len(row.guesses)
        )
        for row in rows
    ]


def table(rows: Sequence[Row]) -> list[list[str]]:
    """Return the same as a table, with a heading."""
    heading = [_("question"), _("guessed (median)"), _("measured (median)"), _("close guesses")]
    return [
        heading,
        *([row.name, row.commonest, row.found, f"{row.good}/{len(row.guesses)}"] for row in rows),
    ]


def picture(rows: Sequence[Row], text: str) -> drawing.Picture:
    """Return the picture of the rows."""
    drawn = {row.name: Guesses(row.ratios, row.good, len(row.guesses)) for row in rows}
    return bets(drawn, text=" ".join([text, *sentences(rows)]))
