"""What a running notebook is: one lesson, one language, a scratch folder, the points so far."""

from __future__ import annotations

import atexit
import os
import sys
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.course import Lesson, lesson
from loaderlab.course.needs import problems
from loaderlab.exercises.exercise import Exercise, verdict
from loaderlab.exercises.expect import FOLLOWS
from loaderlab.exercises.probing import collect
from loaderlab.measuring import temporary
from loaderlab.notebook import borrowed
from loaderlab.notebook.card import Card, Note, Score
from loaderlab.notebook.outdated import outdated
from loaderlab.words.errors import LabError
from loaderlab.words.language import translate as _
from loaderlab.words.language import use

if TYPE_CHECKING:
    from loaderlab.notebook.explorer import Explorer


@dataclass
class Session:
    """The lesson that the notebook began; by exercise name the points reached, the hints to the last answer, those opened."""

    lesson: Lesson
    points: dict[str, int] = field(default_factory=dict)
    advice: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)


_session: Session | None = None


def begin(name: str, language: str = "en") -> None:
    """Begin a lesson: sets the language of everything that ``lab`` says; prints what this machine has and what it lacks.

    Raises the limit of open files as far as a lesson needs it, takes another temporary folder where the name of
    this one is too long for sockets, and removes what killed sessions left in it.

    ``name`` is the lesson's name ("workers"), ``language`` one of "en", "fr", "pl".
    """
    global _session
    from loaderlab.measuring import machine

    machine.allow_open_files()
    temporary.shorten()
    temporary.sweep()
    use(language)
    found = lesson(name)
    use(language, found.folder)
    _session = Session(found)
    outdated()  # from here on
    # PyTorch warns when there are more workers than cores, which the lessons do on purpose; the text depends
    # on the machine, so it must not stand in a stored notebook.
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    here = machine.look()
    print("\n".join([here.card(), *(f"✗ {problem}" for problem in problems(found, here))]))


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
    stack = ExitStack()
    folder = stack.enter_context(temporary.own("loader"))
    atexit.register(stack.close)
    sys.path.insert(0, str(folder))
    return folder


def explore(name: str) -> Explorer:
    """The explorer of the current lesson that has this name: sliders, a picture and a sentence."""
    from loaderlab.notebook.explorer import Explorer

    scenes = current().lesson.scenes()
    if name not in scenes:
        raise LabError(
            _("This lesson has no explorer {name!r}. It has: {known}. Use one of these names.").format(
                name=name, known=", ".join(scenes)
            )
        )
    return Explorer(scenes[name])


def check(name: str, answer: Any) -> Card:
    """Check your answer to the exercise ``name`` of the current lesson: a card with points and findings."""
    exercise = _exercise(name)
    result = verdict(exercise, collect(exercise.probe, answer))
    now = current()
    now.points[name] = result.points
    advice = tuple(dict.fromkeys(f.hint for f in result.findings if not f.passed and f.judged))
    advice = tuple(hint for hint in advice if hint and hint != _(FOLLOWS))
    if advice != now.advice.get(name, ()):
        now.advice[name], now.hints[name] = advice, 0
    shown = result, name, borrowed.warnings(name, answer), _of_before(name)
    card = Card(*shown)
    # nbgrader says there what it runs a notebook for.
    purpose = os.environ.get("NBGRADER_EXECUTION")
    if purpose == "validate" and result.points < result.maximum:
        # What a validated cell has on stderr is what nbgrader shows its learner.
        print(card, file=sys.stderr)
    return Score(*shown) if purpose else card


def _of_before(name: str) -> str:
    """What to say of an answer that is older than its cell; nothing of one that is not."""
    words = _(
        "This judges your previous answer: the cell that defines `{name}` failed when it last ran. Mend that cell and "
        "run it, then check again."
    )
    return words.format(name=name) if name in outdated() else ""


def hint(name: str) -> Note:
    """The next hint of an exercise: a first one, those to what the last check found, the others; then again."""
    exercise, now = _exercise(name), current()
    first, *others = map(_, exercise.hints)
    ladder = [first, *now.advice.get(name, ()), *others]
    number = now.hints.get(name, 0) % len(ladder)
    now.hints[name] = number + 1
    heading = _("Hint {number} of {total}.").format(number=number + 1, total=len(ladder))
    return Note(f"{heading} {ladder[number]}")


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
