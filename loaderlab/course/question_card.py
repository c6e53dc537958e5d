"""The question card: what a front end shows of a prediction, and what it does with what a learner types, draws or chooses.

`state` has the traits that `notebook/front/card.js` reads, and `receive` takes the messages that it sends. Nothing here knows what
carries the two: in a notebook a widget does, on the website a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from loaderlab.course.comparison import Comparison
from loaderlab.course.markup import html
from loaderlab.course.numerals import digits, read
from loaderlab.course.prediction import WHY, Guess, Prediction
from loaderlab.course.sketch import Axis, Linear, Scale
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

AXIS = Scale(0, 3)  # the same for all curves: it tells nothing of the answer


class QuestionCard:
    """The card of a prediction, with the ``question`` in full; ``guess`` is an earlier one, ``measured`` what was measured since.

    ``placed(guess)`` is called with every bet that is accepted.
    """

    def __init__(
        self,
        prediction: Prediction,
        question: str = "",
        guess: Guess = None,
        measured: Guess = None,
        placed: Callable[[Guess], None] = lambda _guess: None,
    ) -> None:
        self.prediction, self.question, self.placed = prediction, question, placed
        self.guess, self.measured, self.bets = guess, measured, 0
        self.said, self.error = self._stands() if guess is not None else "", False

    @property
    def state(self) -> dict[str, Any]:
        """The traits, as JSON has them; each has the same type whatever the prediction."""
        asked = self.prediction
        return {
            "question": self.question,
            "label": asked.heading,
            "kind": "choice" if asked.choices else "curve" if asked.is_curve else "numbers",
            "fields": self._fields(),
            "choices": [html(_(words)) for words in asked.choices.values()],
            "chosen": list(asked.choices).index(self.guess)
            if asked.choices and self.guess is not None
            else -1,
            "axis": self._axis() if asked.is_curve else {},
            "points": self._points([field["text"] for field in self._fields()]) if asked.is_curve else [],
            "said": self.said,
            "error": self.error,
            "bets": self.bets,
            "result": self.result,
            "words": {
                "bet": _("Bet"),
                "empty": _("your guess"),
                "busy": _("The kernel is busy: your bet counts as soon as the running cell has ended."),
                "gone": _("The kernel was restarted. Run this cell again to bet."),
                "why": _(WHY),
            },
        }

    @property
    def result(self) -> str:
        """The bet beside what was measured, as HTML; empty before the measurement."""
        if self.measured is None:
            return ""
        return Comparison(self.prediction, self.guess, self.measured).html

    def receive(self, message: dict[str, Any]) -> dict[str, Any]:
        """Do what a front end asks for, and return the traits that changed by it.

        Say errors where the learner looks, since a front end swallows what a callback raises.
        """
        before = self.state
        if message.get("event") == "points":
            return {"points": self._points(message["texts"])}
        if message.get("event") == "bet":
            try:
                self.bet(self._guess(message))
            except LabError as error:
                self.said, self.error = html(f"⚠ {error}"), True
        return {name: value for name, value in self.state.items() if value != before[name]}

    def bet(self, guess: Guess) -> None:
        """Place a bet; raises :class:`LabError` where it is none."""
        self.guess = self.prediction.checked(guess)
        self.placed(self.guess)
        self.bets += 1
        self.said, self.error = self._stands(), False

    def show(self, measured: Guess) -> dict[str, Any]:
        """Show what was measured beside the bet, and return the traits that changed by it."""
        self.measured = measured
        self.said = "" if self.guess is None else self._stands()
        return {"said": self.said, "result": self.result}

    def _guess(self, message: dict[str, Any]) -> Guess:
        if self.prediction.choices:
            return list(self.prediction.choices)[message["choice"]]
        return self.prediction.typed(message["texts"])

    def _stands(self) -> str:
        done = self.measured is not None
        words = _("✓ Your guess: {guess}.") if done else _("✓ Your guess: {guess}. Now run the next cell.")
        return html(words.format(guess=self.prediction.written(self.guess)))

    def _fields(self) -> list[dict[str, str]]:
        asked = self.prediction
        if asked.choices:
            return []
        unit, guess = _(asked.unit), self.guess
        if not asked.places:
            return [{"label": "", "unit": unit, "text": "" if guess is None else digits(guess)}]
        numbers = [None] * len(asked.places) if guess is None else guess
        return [
            {"label": html(_(place)), "unit": unit, "text": "" if number is None else digits(number)}
            for place, number in zip(asked.places, numbers, strict=True)
        ]

    @property
    def axis(self) -> Axis:
        """The axis on which a curve is drawn."""
        return AXIS if self.prediction.top is None else Linear(self.prediction.top)

    def _axis(self) -> dict[str, Any]:
        axis = self.axis
        return {
            "marks": [[axis.share(number), digits(number)] for number in axis.marks],
            "stops": [[axis.share(number), digits(number)] for number in axis.stops],
        }

    def _points(self, texts: Sequence[str]) -> list[float | None]:
        """Return the height of each number on the axis, from 0 to 1; None where there is none yet."""

        def height(text: str) -> float | None:
            try:
                return self.axis.share(read(text, self.prediction.unit))
            except LabError:  # nothing, or what the bet itself says is no number
                return None

        return [height(text) for text in texts]
