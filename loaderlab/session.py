"""What a running notebook is: one lesson, one language, a scratch folder, the points so far."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.card import Card, Note, Score
from loaderlab.course import Lesson, lesson
from loaderlab.errors import LabError
from loaderlab.exercise import Exercise, verdict
from loaderlab.language import translate as _
from loaderlab.language import use
from loaderlab.probing import collect

if TYPE_CHECKING:
    from loaderlab.explorer import Explorer


@dataclass
class Session:
    """The lesson that the notebook began, the points reached and the hints opened, by exercise name."""

    lesson: Lesson
    points: dict[str, int] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)


_session: Session | None = None


def begin(name: str, language: str = "en") -> None:
    """Begin a lesson: sets the language of everything that ``lab`` says, and prints what this machine has.

    ``name`` is the lesson's name ("workers"), ``language`` one of "en", "fr", "pl".
    """
    global _session
    from loaderlab import machine

    use(language)
    found = lesson(name)
    use(language, found.folder)
    _session = Session(found)
    # PyTorch warns when there are more workers than cores, which the lessons do on purpose; the text depends
    # on the machine, so it must not stand in a stored notebook.
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    print(machine.look().card())


def current() -> Session:
    """The session that :func:`begin` began; raises :class:`LabError` before that."""
    if _session is None:
        raise LabError(
            _("No lesson has begun. Run the first code cell of the notebook, then this one again.")
        )
    return _session


@lru_cache(maxsize=1)
def scratch() -> Path:
    """A folder of this session, on the import path, for the files that the lesson writes; removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="loaderlab-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sys.path.insert(0, str(folder))
    return folder


def explore(name: str) -> Explorer:
    """The explorer of the current lesson that has this name: sliders, a picture and a sentence."""
    from loaderlab.explorer import Explorer

    scenes = current().lesson.scenes()
    if name not in scenes:
        raise LabError(
            _("This lesson has no explorer {name!r}. It has: {known}. Use one of these names.").format(
                name=name, known=", ".join(scenes)
            )
        )
    return Explorer(scenes[name])


def check(name: str, answer: Any) -> Card:
    """Check your answer to the exercise ``name`` of the current lesson: a card with points, findings and hints."""
    exercise = _exercise(name)
    result = verdict(exercise, collect(exercise.probe, answer))
    current().points[name] = result.points
    card = Card(result)
    # nbgrader says there what it runs a notebook for.
    purpose = os.environ.get("NBGRADER_EXECUTION")
    if purpose == "validate" and result.points < result.maximum:
        # What a validated cell has on stderr is what nbgrader shows its learner.
        print(card, file=sys.stderr)
    return Score(result) if purpose else card


def hint(name: str) -> Note:
    """The next hint of an exercise; after the last one it starts again."""
    exercise = _exercise(name)
    opened = current().hints
    number = opened.get(name, 0) % len(exercise.hints)
    opened[name] = number + 1
    heading = _("Hint {number} of {total}.").format(number=number + 1, total=len(exercise.hints))
    return Note(f"{heading} {_(exercise.hints[number])}")


def score() -> Note:
    """The points of this lesson so far, one line for each exercise."""
    now = current()
    exercises = now.lesson.exercises()
    lines = [f"{name}: {now.points.get(name, 0)}/{e.points}" for name, e in exercises.items()]
    total = _("Total: {points}/{top}").format(
        points=sum(now.points.values()), top=sum(e.points for e in exercises.values())
    )
    return Note("\n".join([*lines, total]))


def _exercise(name: str) -> Exercise:
    exercises = current().lesson.exercises()
    if name not in exercises:
        raise LabError(
            _("This lesson has no exercise {name!r}. It has: {known}. Use one of these names.").format(
                name=name, known=", ".join(exercises)
            )
        )
    return exercises[name]
