"""The course: which lessons there are, and how to reach what belongs to one. A lesson is a folder."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.exercises import written
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

if TYPE_CHECKING:
    from loaderlab.course.case import Case
    from loaderlab.course.prediction import Prediction
    from loaderlab.course.question import Question
    from loaderlab.drawing.scene import Scene
    from loaderlab.exercises.exercise import Exercise
    from loaderlab.exercises.probing import Probe

FOLDER = Path(__file__).parents[1] / "lessons"


@dataclass(frozen=True)
class Lesson:
    """One lesson: its place in the course, its length, and what it needs of a machine.

    ``promise``: what a learner can do at its end, one sentence (a marked message), which the README shows for its title.
    ``about``, ``theme`` and ``symptom`` are what lesson 0 says of it, in English: lesson 0's catalogs translate them. ``about`` is the
    line below its title on the map of the course, ``theme`` the column in which it stands there (empty: a row of its own), and
    ``symptom`` says what somebody sees, or wants to know, whom the lesson helps.
    ``needs`` maps a need that the doctor can check to its amount: ``cores`` (number), ``ram_gib``,
    ``shm_mib``, ``temporary_mib``, ``open_files``. What a lesson can do without (a GPU) is not a need. ``answers`` names the
    files of its folder that hold solutions, beside lesson.md and exercises.py: the grader leaves them out.
    """

    name: str
    number: int
    minutes: int
    promise: str = ""
    about: str = ""
    theme: str = ""
    symptom: str = ""
    needs: dict[str, float] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    folder_root: Path = FOLDER

    @property
    def folder(self) -> Path:
        """The folder of lesson.md, its translations, its scene and its exercises."""
        return self.folder_root / self.name

    @property
    def file(self) -> str:
        """File name of its notebooks, without the ending: ``01_workers``."""
        return f"{self.number:02d}_{self.name}"

    @property
    def recordings(self) -> list[Path]:
        """The recordings of the lesson's benchmarks on other machines, one JSON file for each run."""
        return sorted(self.folder.glob("recordings/*.json"))

    def probes(self) -> dict[str, Probe]:
        """Return the probes of the lesson's exercises, by the exercise's name."""
        return {name: exercise.probe for name, exercise in self.exercises().items()}

    def exercises(self) -> dict[str, Exercise]:
        """Return the exercises by name, in the order in which they are set."""
        return {exercise.name: exercise for exercise in self._part("exercises", "EXERCISES")}

    def hints(self) -> dict[str, tuple[str, ...]]:
        """Return the hints to each exercise, as messages, by its name."""
        return written.hints(self.folder)

    def scenes(self) -> dict[str, Scene]:
        """Return the scenes of the lesson's explorers, by name."""
        return {scene.name: scene for scene in self._part("scene", "SCENES")}

    def predictions(self) -> dict[str, Prediction]:
        """Return the guesses that the lesson asks for, by name, in the order of the lesson."""
        return {prediction.name: prediction for prediction in self._part("predictions", "PREDICTIONS")}

    def questions(self) -> dict[str, tuple[Question, ...]]:
        """Return the questions about each of the lesson's explorers, by the explorer's name."""
        return dict(self._part("questions", "QUESTIONS"))

    def case(self) -> Case | None:
        """Return the case of the lesson; None: it has none."""
        return self._part("case", "CASE") or None

    def names(self) -> dict[str, str]:
        """Return the names of the columns and values of the lesson's rows, as marked messages."""
        return dict(self._part("names", "NAMES"))

    def _part(self, module: str, name: str) -> Any:
        if not (self.folder / f"{module}.py").is_file():
            return ()
        return getattr(importlib.import_module(f"loaderlab.lessons.{self.name}.{module}"), name)


def lessons() -> list[Lesson]:
    """Return every lesson there is, in the order of the course."""
    names = [path.parent.name for path in FOLDER.glob("*/lesson.md")]
    modules = [importlib.import_module(f"loaderlab.lessons.{name}") for name in names]
    return sorted((module.LESSON for module in modules), key=lambda lesson: lesson.number)


def lesson(name: str, among: Sequence[Lesson] = ()) -> Lesson:
    """Return the lesson of that name, ``among`` these or all; raises :class:`LabError` when there is none."""
    known = {lesson.name: lesson for lesson in among or lessons()}
    if name not in known:
        raise LabError(
            _("There is no lesson {name!r}. The lessons are: {known}. Use one of these names.").format(
                name=name, known=", ".join(known)
            )
        )
    return known[name]
