"""A question to answer with an explorer: where its controls begin, and the model's answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loaderlab.course.prediction import Guess, Prediction


@dataclass(frozen=True)
class Question:
    """``start`` are the values of controls from which one looks for the answer; the others have their defaults.

    ``asked`` says what is to be found, ``answer()`` computes it. A number is right that is off by the share ``within`` of it
    at most.
    """

    start: Mapping[str, Any]
    asked: Prediction
    answer: Callable[[], Guess]
    within: float = 0.0

    def right(self, guess: Guess) -> bool:
        """Return whether ``guess``, which `asked` has checked, is the answer."""
        answer = self.answer()
        if self.asked.choices:
            return bool(guess == answer)
        return bool(abs(guess - answer) <= self.within * abs(answer) + 1e-9)
