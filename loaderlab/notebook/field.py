"""`lab.predict`: the card that asks for a guess before measuring, with typed numbers, the curve that they draw, or a choice."""

from __future__ import annotations

from typing import Any

from loaderlab.course.comparison import Comparison
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.course.question_card import QuestionCard
from loaderlab.notebook import front, session
from loaderlab.notebook.widget import carry, update, view


def predict(name: str, guess: Guess = None) -> Field:
    """Return a card for your guess of the prediction ``name``; with ``guess``, it is made right here.

    Nothing waits for a guess, and none is graded; a later one replaces it. Raises :class:`LabError` where the lesson asks
    for no such guess, or ``guess`` is none.
    """
    prediction = session.prediction(name)
    if guess is not None:
        session.current().note_guess(name, prediction.checked(guess))
    return Field(prediction)


def compare(name: str, measured: Guess) -> Comparison:
    """Show your guess of the prediction ``name`` beside what was measured; each is left out where it is not there (None).

    Raises :class:`LabError` where numbers were asked for, and ``measured`` is none; where there was a choice, a machine may
    find what nobody proposed.
    """
    prediction = session.prediction(name)
    now = session.current()
    if measured is not None:
        measured = measured if prediction.choices else prediction.formed(measured)
        now.note_measured(name, measured)
    return Comparison(prediction, now.guesses.get(name), measured, now.lesson.name)


class Field:
    """The card on which a guess is typed, drawn or chosen, with ipywidgets 7 and 8; it begins with the earlier guess."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction

    @property
    def guess(self) -> Guess:
        """The guess so far; None: there is none."""
        return session.current().guesses.get(self.prediction.name)

    def __repr__(self) -> str:
        guess = "…" if self.guess is None else self.prediction.written(self.guess)
        return f"{self.prediction.heading} {guess}"

    def card(self) -> QuestionCard:
        """Return the card as it is shown, and as it is driven without a browser."""
        now, name = session.current(), self.prediction.name
        return QuestionCard(
            self.prediction,
            session.texts().get(name, ""),
            self.guess,
            None if self.guess is None else now.measured.get(name),
            # Of the session that there is then: a lesson may have been begun again.
            lambda guess: session.current().note_guess(name, guess),
        )

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        card = self.card()
        widget = carry(card, front.CARD)
        # What is measured later stands beside the bet here, too; the newest card of a name is the one to look at.
        session.current().watched[self.prediction.name] = lambda measured: update(widget, card.show(measured))
        return {**view(widget), "text/plain": repr(self)}
