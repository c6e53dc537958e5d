"""A learner's guesses, as their notebook stored them beside what was measured. Nothing in a notebook is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from loaderlab import course
from loaderlab.course.comparison import BET
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.i18n.errors import LabError

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


def bets(content: bytes) -> list[Bet]:
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
