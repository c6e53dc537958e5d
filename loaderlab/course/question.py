"""A question to answer with an explorer: where its controls begin, and the model's answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loaderlab.course.prediction import Guess, Prediction
from loaderlab.i18n.language import translate as _

_PLACEHOLDER = re.compile(r"\\\{[^{}]*\\\}")  # as re.escape leaves it


@dataclass(frozen=True)
class Question:
    """``start`` are the values of controls from which one looks for the answer; the others have their defaults.

    ``asked`` says what is to be found, ``answer()`` computes it. A number is right that is off by the share ``within`` of it
    at most. ``moves`` names the controls that one looks with, ``hides`` the sentences (marked messages of the scene) that would tell the
    answer: while the question is open, they are left out.
    """

    start: Mapping[str, Any]
    asked: Prediction
    answer: Callable[[], Guess]
    within: float = 0.0
    moves: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()

    def right(self, guess: Guess) -> bool:
        """Return whether ``guess``, which `asked` has checked, is the answer."""
        answer = self.answer()
        if self.asked.choices:
            return bool(guess == answer)
        return bool(abs(guess - answer) <= self.within * abs(answer) + 1e-9)


def without(sentence: str, questions: Sequence[Question]) -> str:
    """Return ``sentence`` without what tells the answer to one of these questions."""
    for message in (message for question in questions for message in question.hides):
        pattern = _PLACEHOLDER.sub(".+?", re.escape(_(message)))
        sentence = re.sub(pattern + r"(?=\s|$)", "", sentence)
    return re.sub(r"[ \t]{2,}", " ", sentence).strip()
