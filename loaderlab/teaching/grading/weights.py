"""The weights of each lesson in a total, and of each exercise in its lesson."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loaderlab import course
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading.grade import Result


@dataclass(frozen=True)
class Weights:
    """Weights by name: what the points of an exercise are multiplied by (1 where none is named), and what its lesson counts.

    Without ``lessons`` each lesson counts as many as it has points, so that all points count alike.
    """

    lessons: Mapping[str, float] = field(default_factory=dict)
    exercises: Mapping[str, float] = field(default_factory=dict)

    def expect(self, lessons: Iterable[str]) -> None:
        """Raise :class:`LabError` where lessons have weights, and one of those graded has none."""
        missing = [name for name in lessons if self.lessons and name not in self.lessons]
        if missing:
            raise LabError(
                _(
                    "No weight for {lessons}. Expected: one for each lesson that is graded; 0 leaves a lesson out."
                ).format(lessons=", ".join(missing))
            )

    def exercise(self, name: str) -> float:
        """Return the factor of the points of this exercise."""
        return self.exercises.get(name, 1.0)

    def points(self, result: Result | None) -> float:
        """Return the weighted points of one notebook; 0 for none."""
        return math.fsum(self.exercise(g.exercise) * g.verdict.points for g in result.grades) if result else 0

    def share(self, lesson: str, result: Result | None) -> float:
        """Return the part of its lesson's weighted points that a notebook has, from 0 to 1; 0 for no notebook."""
        return self.points(result) / (self._top(lesson) or math.inf)

    def total(self, lessons: Iterable[str], counted: Mapping[str, Result]) -> float:
        """Return the part of all these lessons that the notebooks ``counted`` have, from 0 to 1."""
        weights = {lesson: self.lessons.get(lesson, self._top(lesson)) for lesson in lessons}
        reached = math.fsum(self.share(name, counted.get(name)) * weight for name, weight in weights.items())
        return reached / (math.fsum(weights.values()) or math.inf)

    def _top(self, lesson: str) -> float:
        exercises = course.lesson(lesson).exercises()
        return math.fsum(self.exercise(name) * one.points for name, one in exercises.items())


EQUAL = Weights()


def read(text: str) -> Weights:
    """Weights from "workers=40,warps=60,portable=0.5"; raises :class:`LabError` for what is none."""
    if not text.strip():
        return EQUAL  # else judges, who know the names of all exercises, would be imported, and some import torch
    lessons = {lesson.name: lesson for lesson in course.lessons()}
    exercises = {name for lesson in lessons.values() for name in lesson.exercises()}
    found: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _equals, number = (piece.strip() for piece in part.partition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not 0 <= weight < 1e6 or name in found or name not in {*lessons, *exercises}:
            raise LabError(
                _(
                    "{part!r} is no weight. Expected: lessons or exercises, each once, with numbers from 0 up, such as "
                    "`workers=40,warps=60,portable=0.5`."
                ).format(part=part)
            )
        found[name] = weight
    return Weights(
        {name: weight for name, weight in found.items() if name in lessons},
        {name: weight for name, weight in found.items() if name in exercises},
    )
