"""The score at the end of a lesson: points, guesses, the best of them, and the next lesson."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape

from loaderlab.course import lessons, outline
from loaderlab.course.prediction import Guess
from loaderlab.i18n.language import current
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import session
from loaderlab.notebook.card import framed


def score() -> Tally:
    """Return the points of this lesson so far, one line for each exercise; the guesses, and the next lesson."""
    return Tally(session.current())


class Tally:
    """The score of a session, as a card and as plain text."""

    def __init__(self, now: session.Session) -> None:
        exercises = now.lesson.exercises()
        self.lines = [f"{name}: {now.points.get(name, 0)}/{e.points}" for name, e in exercises.items()]
        self.total = _("Total: {points}/{top}").format(
            points=sum(now.points.values()), top=sum(e.points for e in exercises.values())
        )
        self.guesses = list(_guesses(now))
        following = [lesson for lesson in lessons() if lesson.number == now.lesson.number + 1]
        self.next = outline.read(following[0], current()).name if following else ""
        # In Colab a link leads nowhere: each notebook stands by itself there.
        self.file = f"{following[0].file}.ipynb" if following and "google.colab" not in sys.modules else ""

    def __repr__(self) -> str:
        following = [_("Next: lesson {lesson}").format(lesson=self.next)] if self.next else []
        return "\n".join([*self.lines, self.total, *self.guesses, *following])

    def _repr_html_(self) -> str:
        following = escape(_("Next: lesson {lesson}").format(lesson=self.next)) if self.next else ""
        if self.file:
            following = f'<a href="{self.file}">{following}</a>'
        lines = [
            *map(escape, self.lines),
            f"<b>{escape(self.total)}</b>",
            *map(escape, self.guesses),
            following,
        ]
        shown = "".join(f"<div>{line}</div>" for line in lines if line)
        return framed("#0b7285", shown)


def _guesses(now: session.Session) -> list[str]:
    """Return lines on the guesses: how many were made and how many near, and the best; none where the lesson asks for none."""
    asked = now.lesson.predictions()
    if not asked:
        return []
    # Not of how many: those of what goes deeper are not missed.
    words = _("Guesses: {guesses}, right or near: {near}")
    lines = [words.format(guesses=len(now.guesses), near=len(now.won))]
    numbers = [
        name
        for name, prediction in asked.items()
        if not prediction.choices
        and name in now.measured
        and name in now.guesses
        and prediction.good(now.guesses[name], now.measured[name])
    ]
    if numbers:
        best = min(numbers, key=lambda name: _off(now.guesses[name], now.measured[name]))
        words = (
            _("Your best guess: {question}: {guess}; computed: {measured}")
            if asked[best].computed
            else _("Your best guess: {question}: {guess}; measured: {measured}")
        )
        guess, measured = (asked[best].written(of[best]) for of in (now.guesses, now.measured))
        lines.append(words.format(question=_(asked[best].question), guess=guess, measured=measured))
    return lines


def _off(guess: Guess, measured: Guess) -> float:
    """Return how far a guess is off, as a share of what was measured; of several numbers, of the worst."""
    pairs = zip(guess, measured, strict=True) if isinstance(measured, Sequence) else [(guess, measured)]
    return max(abs(one - other) / (abs(other) or abs(one) or 1) for one, other in pairs)
