"""A question to answer with an explorer: where its controls begin, and the model's answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loaderlab.course.prediction import Guess, Prediction
from loaderlab.course.yardstick import NEAR, RIGHT, WRONG, Outcome
from loaderlab.i18n.language import translate as _

_PLACEHOLDER = re.compile(r"\\\{[^{}]*\\\}")  # as re.escape leaves it
_READ = 0.01  # nobody reads a picture more exactly than to this share of a number


@dataclass(frozen=True)
class Question:
    """``start`` are the values of controls from which one looks for the answer; the others have their defaults.

    ``asked`` says what is to be found, and has the yardstick of what is near and of wrong answers that are known; ``answer()`` computes
    it. Where a slider steps over it, these are two numbers: what the explorer says, and where else the truth may be read; all between
    is right. ``moves`` names the controls that one looks with, ``hides`` the sentences (marked messages of the scene) that would tell the
    answer: while the question is open, they are left out.
    """

    start: Mapping[str, Any]
    asked: Prediction
    answer: Callable[[], Guess | tuple[float, float]]
    moves: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()

    def judge(self, guess: Guess, look: str = "") -> Outcome:
        """Return the verdict on ``guess``, which `asked` has checked: what is near is told the answer, what is wrong perhaps why.

        ``look`` is a sentence for what is wrong in a way that is not known: where to look.
        """
        said, other = answer if isinstance(answer := self.answer(), tuple) else (answer, answer)
        (yardstick,) = self.asked.yardsticks
        nearest = said if yardstick.whole else min(max(guess, min(said, other)), max(said, other))
        if guess == nearest or (not yardstick.whole and abs(guess - nearest) <= _READ * abs(nearest)):
            return Outcome(RIGHT, _("Right."))
        if yardstick.near(guess, nearest):
            return Outcome(
                NEAR, _("You were near: the answer is {answer}.").format(answer=self.asked.written(said))
            )
        return Outcome(WRONG, yardstick.reason(guess) or " ".join([_("Not so."), look]).rstrip())


def without(sentence: str, questions: Sequence[Question]) -> str:
    """Return ``sentence`` without what tells the answer to one of these questions."""
    for message in (message for question in questions for message in question.hides):
        pattern = _PLACEHOLDER.sub(".+?", re.escape(_(message)))
        sentence = re.sub(pattern + r"(?=\s|$)", "", sentence)
    return re.sub(r"[ \t]{2,}", " ", sentence).strip()
