"""Statistics of a class: for each exercise how many have how many points, and what most of them got wrong."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from loaderlab import course
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading.grade import Grade, Result


@dataclass(frozen=True)
class Tally:
    """One exercise: how many graded answers have each number of points; the most common mistake and how many made it.

    ``mistake`` is the text of a criterion, empty where no criterion failed.
    """

    exercise: str
    maximum: int
    points: dict[int, int]
    mistake: str
    mistaken: int

    @property
    def answers(self) -> int:
        """The number of answers."""
        return sum(self.points.values())

    @property
    def full(self) -> int:
        """The number of answers with all points."""
        return self.points.get(self.maximum, 0)


def tallies(results: Sequence[Result]) -> list[Tally]:
    """Return the exercises of the one lesson that these results are of, in their order."""
    grades: dict[str, list[Grade]] = {}
    for result in results:
        for grade in result.grades:
            grades.setdefault(grade.exercise, []).append(grade)
    return [_tally(exercise, group) for exercise, group in grades.items()]


def _tally(exercise: str, grades: Sequence[Grade]) -> Tally:
    failed = Counter(
        criterion
        for grade in grades
        for criterion in {f.criterion: None for f in grade.verdict.findings if not f.passed}
    )
    mistake, mistaken = failed.most_common(1)[0] if failed else ("", 0)
    points = Counter(grade.verdict.points for grade in grades)
    maximum = max(grade.verdict.maximum for grade in grades)
    return Tally(exercise, maximum, dict(sorted(points.items())), mistake, mistaken)


def averages(results: Sequence[Result]) -> str:
    """Return a sentence on the points of the one lesson that these results are of."""
    points = [result.points for result in results]
    return _("Notebooks that count: {count}. Points: mean {mean}, median {median}, of {maximum}.").format(
        count=len(points),
        mean=number(statistics.mean(points), 1),
        median=number(statistics.median(points), 1),
        maximum=max(result.maximum for result in results),
    )


def by_lesson(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return the results that have grades, by lesson, in the order of the course; students in that of their names."""
    lessons: dict[str, list[Result]] = {}
    for result in sorted(results, key=lambda result: result.submission.order):
        if result.grades and result.submission.lesson:
            lessons.setdefault(result.submission.lesson, []).append(result)
    return {lesson.name: lessons[lesson.name] for lesson in course.lessons() if lesson.name in lessons}
