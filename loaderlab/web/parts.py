"""The parts of a page that answer: explorers and question cards, made from what the page says of them.

The website's build makes them for what a page shows at first, and a browser makes them again when somebody touches them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loaderlab import course
from loaderlab.course.markup import html
from loaderlab.course.panel import Panel, linked
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.course.question_card import QuestionCard
from loaderlab.i18n.language import translate as _

Traits = dict[str, Any]


class StoredCard(QuestionCard):
    """A question card whose experiment was run when the lesson was made: ``stored`` is what it found, ``stamp`` where and when.

    That is shown once there is a bet, or when a reader asks for it.
    """

    def __init__(
        self, prediction: Prediction, question: str, guess: Guess, stored: Guess, stamp: str, shown: bool
    ) -> None:
        self.stored, self.stamp = stored, stamp
        super().__init__(prediction, question, guess, stored if shown or guess is not None else None)

    @property
    def result(self) -> str:
        """The bet beside what was measured then, as HTML."""
        found = super().result
        return f'{found}<p class="lab-stamp">{html(self.stamp)}</p>' if found and self.stamp else found

    def bet(self, guess: Guess) -> None:
        """Place a bet, after which the result is shown."""
        super().bet(guess)
        self.measured = self.stored

    def receive(self, message: Traits) -> Traits:
        """Do what a page asks for, and return the traits that changed, with the bet that it may remember."""
        if message.get("event") == "show":
            return self.show(self.stored)
        bets = self.bets
        traits = super().receive(message)
        return {**traits, "guess": self.guess} if self.bets > bets else traits

    def _stands(self) -> str:
        return html(_("✓ Your guess: {guess}.").format(guess=self.prediction.written(self.guess)))


Part = Panel | StoredCard


def made(lesson: str, about: Mapping[str, Any]) -> Part:
    """Return a part of a lesson's page; raises :class:`LabError` where values, as of a link, are none that it can have."""
    found = course.lesson(lesson)
    return _card(found, about) if about["kind"] == "card" else _explorer(found, about)


def _explorer(lesson: course.Lesson, about: Mapping[str, Any]) -> Panel:
    """Return an explorer at its ``values``, or at others that a ``link`` has as text."""
    scene = replace(lesson.scenes()[about["scene"]], measure=None)
    first = scene.defaults | dict(about["values"])
    link = linked(scene, about.get("link", {}))
    questions = lesson.questions()[scene.name] if about["asks"] else ()
    panel = Panel(scene, first | link, scene.draw(**first | link), questions, about["texts"])
    panel.first = first
    return panel


def _card(lesson: course.Lesson, about: Mapping[str, Any]) -> StoredCard:
    prediction = lesson.predictions()[about["prediction"]]
    guess, stored = about.get("guess"), about["stored"]
    return StoredCard(
        prediction,
        about["question"],
        None if guess is None else prediction.formed(guess),
        None if stored is None else prediction.formed(stored),
        about["stamp"],
        about.get("shown", False),
    )
