"""The session of a running notebook: one lesson, one language, a scratch folder, the points so far."""

from __future__ import annotations

import atexit
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from loaderlab.course import Lesson, asked, lesson
from loaderlab.course.needs import problems
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.exercises.exercise import Exercise, verdict
from loaderlab.exercises.exercise import hint as said_hint
from loaderlab.exercises.probing import collect
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import current as language
from loaderlab.i18n.language import mark, use
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import temporary
from loaderlab.notebook import progress, undefined_names
from loaderlab.notebook.card import Card, Hint, Note, Score
from loaderlab.notebook.outdated import outdated

if TYPE_CHECKING:
    from loaderlab.notebook.explorer import Explorer

T = TypeVar("T")


@dataclass
class Session:
    """The lesson that the notebook began, and what the learner did in it.

    By exercise name the most points reached, the hints to the last answer, those opened; by prediction name the guesses, and
    what was measured; the names of those that were right or near once; the state of the lesson's case. ``folder`` is where they
    are remembered, if there is such a place. ``watched`` tells the cards that are shown what was measured.
    """

    lesson: Lesson
    folder: Path | None = None
    points: dict[str, int] = field(default_factory=dict)
    advice: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)
    guesses: dict[str, Guess] = field(default_factory=dict)
    measured: dict[str, Guess] = field(default_factory=dict)
    won: set[str] = field(default_factory=set)
    case: dict[str, Any] = field(default_factory=dict)
    watched: dict[str, Callable[[Guess], None]] = field(default_factory=dict)

    def recall(self) -> str:
        """Take up what the folder remembers of this lesson; returns the sentence to say of it."""
        if self.folder is None:
            return ""
        try:
            found = progress.recall(self.folder, self.lesson.name)
        except LabError as error:
            self.folder = None
            return f"✗ {error}"
        self.points = {
            name: points
            for name, points in found.get("points", {}).items()
            if name in self.lesson.exercises()
        }
        self.hints = {
            name: count for name, count in found.get("hints", {}).items() if name in self.lesson.exercises()
        }
        known = self.lesson.predictions()
        for kept, values in (("guesses", self.guesses), ("measured", self.measured)):
            for name, value in found.get(kept, {}).items():
                with suppress(KeyError, LabError):  # of an older edition of the lesson
                    values[name] = known[name].formed(value)
        self.won = {name for name in found.get("won", ()) if name in known}
        self.case = dict(found.get("case", {}))
        if not self.points and not self.guesses:
            return ""
        words = _("From last time: points {points}, guesses {guesses}. `lab.forget()` forgets them.")
        return words.format(points=sum(self.points.values()), guesses=len(self.guesses))

    def remember(self) -> None:
        """Have the folder keep it, where it remembers."""
        if self.folder is not None:
            state = {
                "points": self.points,
                "guesses": self.guesses,
                "hints": self.hints,
                "measured": self.measured,
                "won": sorted(self.won),
                "case": self.case,
            }
            progress.remember(self.folder, self.lesson.name, state if any(state.values()) else {})

    def note_guess(self, name: str, guess: Guess) -> None:
        """Keep a guess; the newest one counts."""
        self.guesses[name] = guess
        self._weigh(name)
        self.remember()

    def note_measured(self, name: str, measured: Guess) -> None:
        """Keep what was measured, and tell the card of that name."""
        self.measured[name] = measured
        self._weigh(name)
        self.remember()
        if name in self.watched:
            self.watched[name](measured)

    def _weigh(self, name: str) -> None:
        """Note a guess that is right or near: it stays so, whatever is guessed or measured later."""
        if name in self.guesses and name in self.measured:
            prediction = self.lesson.predictions()[name]
            if prediction.good(self.guesses[name], self.measured[name]):
                self.won.add(name)

    def note_points(self, name: str, points: int) -> None:
        """Keep the points of an exercise; fewer than before take none away."""
        self.points[name] = max(points, self.points.get(name, 0))
        self.remember()


_session: Session | None = None


def begin(name: str, language: str = "en") -> None:
    """Begin a lesson: sets the language of everything that ``lab`` says; prints what this machine has and what it lacks.

    Raises the limit of open files as far as a lesson needs it, takes another temporary folder where the name of
    this one is too long for sockets, and removes what killed sessions left in it.

    ``name`` is the lesson's name ("workers"), ``language`` the code of one that the course has ("en").
    """
    global _session
    from loaderlab.measuring import machine

    machine.allow_open_files()
    temporary.shorten()
    machine.preload_forkserver()  # whose socket stands in the temporary folder
    temporary.sweep()
    use(language)
    found = lesson(name)
    use(language, found.folder)
    _session = Session(found, Path.cwd())
    remembered = _session.recall()
    outdated()  # from here on
    # PyTorch warns when there are more workers than cores, which the lessons do on purpose; the text depends
    # on the machine, so it must not stand in a stored notebook.
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    here = machine.look()
    lines = [here.card(), *(f"✗ {problem}" for problem in problems(found, here)), remembered]
    print("\n".join(filter(None, lines)))


def current() -> Session:
    """Return the session that :func:`begin` began; raises :class:`LabError` before that."""
    if _session is None:
        raise LabError(
            _("No lesson has begun. Run the first code cell of the notebook, then this one again.")
        )
    return _session


@lru_cache(maxsize=1)
def scratch() -> Path:
    """Return a folder of this session, on the import path, for the files that the lesson writes; removed at the end."""
    stack = ExitStack()
    folder = stack.enter_context(temporary.own("loader"))
    atexit.register(stack.close)
    sys.path.insert(0, str(folder))
    return folder


def explore(name: str, questions: bool = False) -> Explorer:
    """Return the explorer of the current lesson that has this name: sliders, a picture and a sentence.

    With ``questions``, it has a button for each of those that the lesson asks about it, and a field for the answer.
    """
    from loaderlab.notebook.explorer import Explorer

    lesson = current().lesson
    words = mark("This lesson has no explorer {name!r}. It has: {known}. Use one of these names.")
    scene = _named(name, lesson.scenes(), words)
    if not questions:
        return Explorer(scene)
    return Explorer(scene, lesson.questions()[name], asked.explorers(lesson, language()).get(name, ()))


def texts() -> dict[str, str]:
    """Return the questions of the current lesson in full, by the name of their predictions."""
    return asked.predictions(current().lesson, language())


def check(name: str, answer: Any) -> Card:
    """Check your answer to the exercise ``name`` of the current lesson: a card with points and findings."""
    exercise = _exercise(name).of_answer(_written(name))
    result = verdict(exercise, collect(exercise.probe, answer))
    now = current()
    if not undefined_names.elsewhere(name, answer):  # a demonstration gives no points, and takes none
        now.note_points(name, result.points)
    if result.advice != now.advice.get(name, ()):
        now.advice[name], now.hints[name] = result.advice, 0
    shown = result, name, undefined_names.warnings(name, answer), _of_before(name)
    card = Card(*shown)
    # nbgrader says there what it runs a notebook for.
    purpose = os.environ.get("NBGRADER_EXECUTION")
    if purpose == "validate" and result.points < result.maximum:
        # What a validated cell has on stderr is what nbgrader shows its learner.
        print(card, file=sys.stderr)
    return Score(*shown) if purpose else card


def _written(name: str) -> str:
    """Return the last cell that defines an answer, as the grader and a page have it: cases are drawn by it."""
    defines = re.compile(rf"^(?:def|class)\s+{name}\b|^{name}\s*=", re.MULTILINE)
    cells: list[str] = vars(sys.modules["__main__"]).get("In", [])
    return next((cell for cell in reversed(cells) if defines.search(cell)), "")


def _of_before(name: str) -> str:
    """Return the warning about an answer that is older than its cell; empty for one that is not."""
    words = _(
        "This judges your previous answer: the cell that defines `{name}` failed when it last ran. Mend that cell and "
        "run it, then check again."
    )
    return words.format(name=name) if name in outdated() else ""


def hint(name: str) -> Hint:
    """Return the next hint of an exercise: a first one, those to what the last check found, the others; then again."""
    now, hints = current(), current().lesson.hints()[_exercise(name).name]
    number = now.hints.get(name, 0)
    now.hints[name] = number + 1
    now.remember()
    return Hint(said_hint(hints, number, now.advice.get(name, ())))


def forget() -> Note:
    """Forget points, guesses and hints of this lesson, in this session and in the learner's folder."""
    now = current()
    for found in (now.points, now.hints, now.advice, now.guesses, now.measured, now.won, now.case):
        found.clear()
    now.remember()
    return Note(_("Forgotten: points, guesses and hints of this lesson."))


def _exercise(name: str) -> Exercise:
    words = mark("This lesson has no exercise {name!r}. It has: {known}. Use one of these names.")
    return _named(name, current().lesson.exercises(), words)


def prediction(name: str) -> Prediction:
    """Return the prediction of that name in the current lesson; raises :class:`LabError` where there is none."""
    words = mark("This lesson asks for no guess {name!r}. It asks for: {known}. Use one of these names.")
    return _named(name, current().lesson.predictions(), words)


def _named(name: str, known: Mapping[str, T], words: str) -> T:
    """Return the one of that name; raises :class:`LabError`, in these ``words`` (a marked message), where there is none."""
    if name not in known:
        raise LabError(_(words).format(name=name, known=", ".join(known) or "–"))
    return known[name]
