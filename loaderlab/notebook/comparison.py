"""`lab.compare`: a guess beside what was measured, and the verdict on each number of it."""

from __future__ import annotations

from loaderlab.course.comparison import Comparison
from loaderlab.course.prediction import Guess
from loaderlab.notebook import session


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
    return Comparison(prediction, now.guesses.get(name), measured)
